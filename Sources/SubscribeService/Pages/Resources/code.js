// Continues sign-ups until their owners confirm, and adds the box for the consent to forms without
// one; embed.js loads it with double opt-in, and for the box.
// After Thanks it adds a form for the code of the mail, or only a text: data-enlist-code of the
// sign-up form is the id of the element to add it to, or "off" to omit the field.
(() => {
'use strict'
if (window.enlistCode) return window.enlistCode()

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

// Waits in a form for the confirmation of an execution; the event comes from another element.
const wait = (form, execution, texts, sender) => {
  const status = form.querySelector('[role=status]')
  let isBusy = false, isDone = false, source, timer, cursor = '', delay = 3000
  const show = (text, state) => {
    status.textContent = text
    status.dataset.state = state
  }
  const reject = field => {
    field?.setAttribute('aria-invalid', 'true')
    field?.select()
  }
  const finish = detail => {
    if (isDone) return
    stop()
    form.replaceChildren(status)
    show(texts.confirmed, 'confirmed')
    sender.dispatchEvent(new CustomEvent('enlist:confirmed', { bubbles: true, detail }))
  }
  const stop = () => {
    isDone = true
    source.close()
    clearTimeout(timer)
  }
  const url = () => execution + '/events?until=confirmed' + cursor
  const listen = () => {
    source = new EventSource(url())
    source.addEventListener('completed', ({ lastEventId }) => {
      cursor = '&last_event_id=' + lastEventId
    })
    source.addEventListener('confirmed', event => finish(JSON.parse(event.data)))
    source.addEventListener('failed', () => {
      stop()
      form.remove()
    })
    // A browser gives up at any status but 200, also at the 502 of a proxy during a restart.
    source.onerror = () => {
      if (source.readyState !== source.CLOSED || isDone) return
      timer = setTimeout(resume, delay)
      delay = Math.min(2 * delay, 60000)
    }
  }
  const resume = async () => {
    const { status } = await fetch(url(), { method: 'HEAD' }).catch(() => ({}))
    // No confirmation follows after a 204, and none is known of an execution that is long gone.
    const isOver = status === 204 || status === 404 && delay === 60000
    if (!isDone && !isOver) listen()
  }
  form.addEventListener('input', event => event.target.removeAttribute('aria-invalid'))
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    try {
      const reply = await fetch(execution + '/code', {
        method: 'POST',
        headers: {
          Accept: 'application/json',
          'Accept-Language': texts.enlistLanguage || document.documentElement.lang
        },
        body: new URLSearchParams(new FormData(form))
      })
      const result = await reply.json()
      if (reply.ok) finish({ message: 'Confirmed', state: 'confirmed' })
      else if (!isDone) {
        show(result.detail, 'refused')
        reject(form.elements.code)
      }
    } catch {
      if (!isDone) show(texts.unreachable || 'Error :(', 'failed')
    }
    isBusy = false
  })
  listen()
  return () => {
    stop()
    form.remove()
  }
}

// Adds the form for the code after a sign-up form.
const begin = (form, { execution }) => {
  const { enlistTexts: texts, dataset: { enlistCode, code } } = form
  if (!texts || texts.enlistNext === 'none' || !execution || form.enlistWaiting === execution) return
  form.enlistWaiting = execution
  form.enlistStop?.()
  const status = element('p', { id: 'enlist-status-' + execution })
  status.setAttribute('role', 'status')
  const added = element('form', { noValidate: true, className: form.className })
  if (enlistCode === 'off' || texts.enlistNext === 'link')
    added.append(element('p', {}, code || texts.link))
  else {
    const id = 'enlist-code-' + execution
    const field = element('input', {
      id, name: 'code', inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 16
    })
    field.setAttribute('aria-describedby', status.id)
    added.append(
      element('label', { htmlFor: id }, texts.code),
      element('div', { className: 'row' }, field, element('button', {}, texts.codeButton))
    )
  }
  added.append(status)
  for (const shown of document.querySelectorAll('[data-enlist-address]'))
    shown.textContent = form.elements.email.value
  const place = document.getElementById(enlistCode)
  if (place) place.append(added)
  else form.after(added)
  const url = new URL('executions/' + execution, form.action).href
  form.enlistStop = wait(added, url, texts, form)
}

// Adds the box before the button, or before the element of the form that contains it.
const ask = form => {
  const text = form.enlistTexts?.consent
  if (!text || form.elements.consent) return
  const box = element('input', { type: 'checkbox', name: 'consent', value: text, required: true })
  let place = form.querySelector('[type=submit], button:not([type])') || form.lastChild
  while (place.parentNode !== form) place = place.parentNode
  place.before(element('label', { className: 'consent' }, box, ' ', element('span', {}, text)))
}

addEventListener('enlist:completed', event => begin(event.target, event.detail))
addEventListener('enlist:started', event => event.target.enlistStop?.())
// Each form loads this file, perhaps after its sign-up.
window.enlistCode = () => {
  for (const form of document.querySelectorAll('form[data-enlist]')) {
    ask(form)
    if (form.enlist?.state === 'completed') begin(form, form.enlist)
  }
}
window.enlistCode()
for (const form of document.querySelectorAll('[data-enlist-confirm]'))
  wait(form, form.dataset.enlistConfirm, form.dataset, form)
})()
