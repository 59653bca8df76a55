// Makes <form data-enlist action="https://list.example.org/subscribers"> live.
// Events bubble; the details are:
//   enlist:checked    the response to POST /email-checks
//   enlist:started, :completed, :failed    the status message
//   enlist:refused    the problem details (RFC 9457)
(() => {
'use strict'
const follow = (url, report) => {
  const source = new EventSource(url)
  for (const name of ['started', 'completed', 'failed']) {
    source.addEventListener(name, event => {
      if (name !== 'started') source.close()
      report(name, JSON.parse(event.data))
    })
  }
  // Else it reconnects.
  source.onerror = () => {
    if (source.readyState === source.CLOSED) report('failed', { message: 'Error :(' })
  }
}

const upgrade = form => {
  const field = form.elements.email
  if (!field || form.enlist) return
  form.enlist = true
  form.noValidate = true
  const button = form.querySelector('[type=submit], button:not([type])')
  const find = (name, tag) =>
    form.querySelector(`[data-enlist-${name}]`) || form.appendChild(document.createElement(tag))
  const status = find('status', 'p')
  status.setAttribute('role', 'status')
  const hint = find('suggestion', 'button')
  hint.type = 'button'
  hint.hidden = true

  const post = (path, body, headers) =>
    fetch(new URL(path, form.action), {
      method: 'POST',
      headers: { Accept: 'application/json', ...headers },
      body: new URLSearchParams(body)
    })
  const emit = (type, detail) =>
    form.dispatchEvent(new CustomEvent('enlist:' + type, { bubbles: true, detail }))
  const show = (text, state) => {
    status.textContent = text
    status.dataset.state = state
  }

  let isValid, isExecuting, suggested, hadFocus
  const enable = () => { if (button) button.disabled = isExecuting || !isValid }
  const suggest = address => {
    suggested = address
    hint.hidden = !address
    hint.textContent = (form.dataset.suggestion || 'Did you mean {}?').replace('{}', () => address)
  }

  let count = 0, timer
  const check = async () => {
    clearTimeout(timer)
    const own = ++count, email = field.value
    let result = { valid: !!email }
    try {
      const reply = await post('email-checks', { email })
      if (reply.ok) result = await reply.json()
    } catch {}
    if (own !== count) return
    isValid = result.valid
    enable()
    suggest(result.suggestion)
    emit('checked', result)
    return result
  }
  const restart = delay => {
    count++
    if (!isExecuting) show('', '')
    field.removeAttribute('aria-invalid')
    clearTimeout(timer)
    timer = setTimeout(check, delay)
  }
  const reject = text => {
    field.setAttribute('aria-invalid', 'true')
    show(text, 'refused')
  }
  const validate = async () => {
    if (isExecuting || !field.value) return
    const result = await check()
    if (result?.detail && !isExecuting) reject(result.detail)
  }
  field.addEventListener('input', () => restart(200))
  field.addEventListener('change', validate)
  field.addEventListener('keydown', async event => {
    // A disabled button prevents submission.
    if (event.key !== 'Enter' || event.isComposing || !button?.disabled) return
    event.preventDefault()
    await validate()
    if (isValid) form.requestSubmit()
  })
  hint.addEventListener('click', () => {
    field.value = suggested
    field.focus()
    restart(0)
  })

  const finish = () => {
    isExecuting = false
    enable()
    // Disabling it took its focus.
    if (hadFocus) button.focus()
  }
  const report = (name, data) => {
    show(form.dataset[name] || data.message, name)
    form.enlist = data
    if (name !== 'started') finish()
    emit(name, data)
  }
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (isExecuting) return
    isExecuting = true
    hadFocus = button && document.activeElement === button
    enable()
    try {
      const reply = await post('', new FormData(form), { Prefer: 'respond-async' })
      if (reply.ok)
        return follow(new URL(reply.headers.get('Location') + '/events', form.action), report)
      const problem = await reply.json()
      finish()
      if (reply.status === 422) reject(problem.detail)
      else show(problem.detail, 'refused')
      suggest(problem.suggestion)
      emit('refused', problem)
    } catch {
      report('failed', { message: 'Error :(' })
    }
  })

  enable()
  if (field.value) check()
  if ('enlistCode' in form.dataset)
    form.append(
      Object.assign(document.createElement('script'), { src: new URL('code.js', form.action) })
    )
}

const start = () => {
  document.querySelectorAll('form[data-enlist]').forEach(upgrade)
  document.querySelectorAll('[data-enlist-events]').forEach(element =>
    follow(element.dataset.enlistEvents, (name, data) => {
      element.textContent = element.dataset[name] || data.message
      element.dataset.state = name
    })
  )
}
document.readyState === 'loading' ? addEventListener('DOMContentLoaded', start) : start()
})()
