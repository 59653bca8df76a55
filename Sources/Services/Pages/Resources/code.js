// Continues sign-ups until their owners confirm; embed.js loads it with double opt-in, and on the
// service's own page.
// After Thanks it adds a form for the code of the mail, or only a text: data-enlist-code of the
// sign-up form is the id of the element to add it to, or "off" to omit the field.
(() => {
'use strict'
const shared = window[Symbol.for('enlist')], page = shared.bare(document)
if (shared.begin) return shared.begin()

const element = (tag, properties, ...children) => {
  const made = Object.assign(page.createElement(tag), properties)
  made.append(...children)
  return made
}

// For elements that the focus cannot reach otherwise, and that need no ring: they do nothing.
const focus = made => {
  made.tabIndex = -1
  made.style.outline = 'none'
  made.focus()
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
    // Else the focus would fall to the body with what has it.
    const area = 'enlistPage' in sender.dataset ? form.closest('section') : form
    const hasFocus = area.contains(page.activeElement)
    form.replaceChildren(status)
    show(texts.confirmed, 'confirmed')
    if (hasFocus) focus(status)
    sender.dispatchEvent(new CustomEvent('enlist:confirmed', { bubbles: true, detail }))
  }
  const stop = () => {
    isDone = true
    source?.close()
    clearTimeout(timer)
  }
  const url = () => execution + '/events?until=confirmed' + cursor
  // A browser has few connections to a host, which the tabs that one sees need.
  const listen = () => {
    source?.close()
    clearTimeout(timer)
    if (!window.EventSource || isDone || page.hidden) return
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
    if (!isOver) listen()
  }
  page.addEventListener('visibilitychange', listen)
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
          'Accept-Language': texts.enlistLanguage || page.documentElement.lang
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

// Shows what follows on the service's own page, whose style hides the form after Thanks. The page
// gets the address of the execution, which a reload, or a way back, leads to.
const turn = (form, execution, texts) => {
  page.querySelector('section')?.remove()
  const section = element('section')
  if (texts.enlistNext === 'none') {
    section.append(element('p', {}, texts.next))
    if (texts.site)
      section.append(element('p', {}, element('a', { href: texts.siteURL }, texts.site)))
  } else {
    const [before, after = ''] = texts.sent.split('{address}')
    const address = element('bdi', {}, form.elements.namedItem('email').value)
    address.dataset.enlistAddress = ''
    section.append(
      element('h2', {}, texts.title),
      element('p', {}, before, address, after),
      element('div', { id: form.dataset.enlistCode }),
      element('p', {}, element('a', { href: '/' }, texts.wrongAddress))
    )
  }
  form.after(section)
  const { activeElement, body } = page
  if (!activeElement || activeElement === body || form.contains(activeElement))
    focus(section.firstChild)
  history.replaceState(null, '', '/thanks/' + execution)
}

// Adds the form for the code after a sign-up form.
const begin = (state, { execution }) => {
  const { form, texts } = state, { enlistCode, enlistPage, code } = form.dataset
  if (!texts || !execution || state.waiting === execution) return
  state.waiting = execution
  state.stop?.()
  const isPage = enlistPage !== undefined
  // Until now it may have said more.
  const thanks = form.querySelector('[data-state=completed]')
  if (thanks && thanks.textContent !== texts.completed) thanks.textContent = texts.completed
  if (isPage) turn(form, execution, texts)
  if (texts.enlistNext === 'none') return
  const status = element('p', { id: 'enlist-status-' + execution })
  status.setAttribute('role', 'status')
  const added = element('form', { noValidate: true, className: form.className })
  const hasField = enlistCode !== 'off' && texts.enlistNext !== 'link'
  const id = 'enlist-code-' + execution
  const intro = hasField ? element('label', { htmlFor: id }) : element('p')
  const say = () => {
    intro.append(hasField ? texts.code : code || texts.link)
    if (!hasField) return
    const field = element('input', {
      id, name: 'code', inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 16
    })
    field.setAttribute('aria-describedby', status.id)
    const button = element('button', {}, texts.codeButton)
    intro.after(element('div', { className: 'row' }, field, button))
  }
  added.append(intro, status)
  const place = page.getElementById(enlistCode)
  if (place) place.append(added)
  else form.after(added)
  if (isPage) say()
  else {
    // Here the focus stays where it is, but a screen reader reads what is added to a live region.
    intro.setAttribute('aria-live', 'polite')
    setTimeout(say, 100)
  }
  const url = new URL('executions/' + execution, form.action).href
  state.stop = wait(added, url, texts, form)
}

const { forms } = shared
addEventListener('enlist:completed', ({ target, detail }) => begin(forms.get(target), detail))
addEventListener('enlist:started', ({ target }) => forms.get(target).stop?.())
// Each form loads this file, perhaps after its sign-up.
shared.begin = () => {
  for (const form of page.querySelectorAll('form[data-enlist]')) {
    const state = forms.get(form)
    if (state?.data?.state === 'completed') begin(state, state.data)
  }
}
shared.begin()
for (const form of page.querySelectorAll('[data-enlist-confirm]'))
  wait(form, form.dataset.enlistConfirm, form.dataset, form)
})()
