// Makes <form data-enlist action="https://list.example.org/subscribers"> live.
(() => {
'use strict'
// An element without its controls, whose names hide properties of a form; those of forms and
// pictures hide properties of the document.
const bare = element => new Proxy(element, {
  get: (element, name) => {
    const value = Reflect.get(Object.getPrototypeOf(element), name, element)
    return typeof value === 'function' ? value.bind(element) : value
  },
  set: (element, name, value) => Reflect.set(Object.getPrototypeOf(element), name, value, element)
})
const page = bare(document)
// What code.js needs, and scripts that a page has several times; forms has the state of each form.
const shared = window[Symbol.for('enlist')] ??= { bare, forms: new WeakMap() }
const error = { message: 'Error :(' }
const names = { executing: 'started', completed: 'completed', failed: 'failed' }
// Reports each state of an execution once. Its stream has them at once, but some networks let no
// stream pass, and its failure says nothing about the sign-up; so the service is also asked.
const follow = (execution, report, snapshot) => {
  const source = window.EventSource && new EventSource(execution + '/events')
  let last, timer, misses = 0
  const isOver = () => last && last !== 'started'
  const advance = (name, data) => {
    if (name === last || isOver()) return
    last = name
    if (isOver()) {
      source?.close()
      clearTimeout(timer)
    }
    report(name, data)
  }
  for (const name of Object.values(names))
    source?.addEventListener(name, event => advance(name, JSON.parse(event.data)))
  const read = ({ execution: { id, state, message } }) =>
    advance(names[state], { message, state, execution: id })
  const ask = async () => {
    try {
      read(await (await fetch(execution, { headers: { Accept: 'application/json' } })).json())
      misses = 0
    } catch {
      // Half a minute without any response.
      if (++misses > 15) advance('failed', error)
    }
    schedule()
  }
  const schedule = () => { if (!isOver()) timer = setTimeout(ask, 2000) }
  if (snapshot) read(snapshot)
  schedule()
}

// The origins to which a policy of the page allows no requests of scripts.
const blocked = new Set()
addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, disposition }) => {
  if (effectiveDirective === 'connect-src' && disposition === 'enforce')
    blocked.add(blockedURI.split('/', 3).join('/'))
})

const nonce = page.currentScript?.nonce || ''
let code
// Loads code.js once, also where the page's policy asks for a nonce or for Trusted Types.
const loadCode = url => {
  if (shared.begin) return shared.begin()
  if (code) return
  code = Object.assign(page.createElement('script'), { nonce })
  try {
    url = trustedTypes.createPolicy('enlist', { createScriptURL: url => url }).createScriptURL(url)
  } catch {
    // The browser has no Trusted Types, or the page allows no such policy.
  }
  code.src = url
  page.head.append(code)
}

const upgrade = element => {
  if (shared.forms.has(element)) return shared.forms.get(element).look()
  const form = bare(element), named = name => form.elements.namedItem(name)
  const field = named('email')
  if (!field) return
  const state = { form }
  shared.forms.set(element, state)
  const { noValidate } = form
  form.noValidate = true
  // Attributes of the form replace the texts of the service.
  let texts = form.dataset
  const button = form.querySelector('[type=submit], button:not([type])')
  const find = name => form.querySelector(`[data-enlist-${name}]`)
  const add = tag => form.appendChild(page.createElement(tag))
  const status = find('status') || add('p')
  status.setAttribute('role', 'status')
  // In the document only while there is a suggestion: a page's style may show what is hidden.
  const found = find('suggestion')
  // The attribute of an element that contains the button is the id of the button.
  const id = found?.dataset.enlistSuggestion
  const hint = found && !id ? found : page.createElement('button')
  const gap = new Comment()
  if (hint === found) hint.replaceWith(gap)
  else (found || form).append(gap)
  if (id) hint.id = id
  hint.type = 'button'
  hint.hidden = false

  // Other characters, and longer values, would need a preflight.
  const language = () =>
    [named('locale')?.value, form.closest('[lang]')?.lang, ...navigator.languages]
      .join().replace(/[^a-z\d,-]/gi, '-').slice(0, 128)
  const send = (path, body, headers) =>
    fetch(new URL(path, form.action), {
      method: body ? 'POST' : 'GET',
      headers: { Accept: 'application/json', 'Accept-Language': language(), ...headers },
      body: body && new URLSearchParams(body)
    })
  const emit = (type, detail) =>
    form.dispatchEvent(new CustomEvent('enlist:' + type, { bubbles: true, detail }))
  const show = (text, state) => {
    if (status.textContent !== text) status.textContent = text
    status.dataset.state = state
  }

  let isValid, isExecuting, isAsked, suggested, hadFocus, seen = field.value
  const enable = () => { if (button) button.disabled = isExecuting || !isValid }
  const suggest = address => {
    suggested = address
    if (!address) return hint.replaceWith(gap)
    hint.textContent = (texts.suggestion || '{}').replace('{}', () => address)
    gap.replaceWith(hint)
  }

  let count = 0, timer
  const check = async () => {
    clearTimeout(timer)
    const own = ++count, email = seen = field.value
    let result = { valid: !!email }, isLost
    try {
      const reply = await send('email-checks', { email })
      if (reply.ok) result = await reply.json()
    } catch { isLost = !isExecuting }
    if (own !== count) return
    if (isLost) show(texts.unreachable, 'failed')
    isValid = result.valid
    enable()
    suggest(result.suggestion)
    emit('checked', result)
    return result
  }
  const restart = delay => {
    count++
    seen = field.value
    if (!isExecuting) show('', '')
    clearTimeout(timer)
    timer = setTimeout(check, delay)
  }
  // The pointer of a problem names its field: /name.
  const reject = (text, path = '') => {
    const wrong = named(path.slice(1))
    wrong?.setAttribute?.('aria-invalid', true)
    show(text, 'refused')
    return wrong
  }
  const validate = async () => {
    if (isExecuting || !field.value) return
    const result = await check()
    if (result?.detail && !isExecuting) reject(result.detail, '/email')
  }
  // A box that is empty, or empty again, is not wrong yet, which its browser does not know.
  const excuse = one =>
    one.type === 'checkbox' ? one.setAttribute('aria-invalid', false) : one.removeAttribute('aria-invalid')
  const boxes = () => [...form.elements].filter(one => one.type === 'checkbox')
  for (const one of boxes()) if (!one.hasAttribute('aria-invalid')) excuse(one)
  form.addEventListener('input', ({ target }) => {
    excuse(target)
    if (target === field) restart(200)
  })
  field.addEventListener('change', validate)
  // Password managers fill in the field without an event.
  state.look = () => {
    if (field.value === seen) return
    seen = field.value
    isValid = !!seen
    enable()
    validate()
  }
  form.addEventListener('pointerdown', state.look)
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
    excuse(field)
    restart(0)
  })

  // The browser validates all fields, except that the service knows more addresses.
  const isForeign = () => field.validity.typeMismatch && !field.validity.patternMismatch
  field.addEventListener('invalid', event => isForeign() && event.preventDefault())
  const isFilledIn = submitter => {
    const isFree = noValidate || submitter?.formNoValidate
    const box = isAsked && named('consent')
    if (isFree) box && box.reportValidity()
    else form.reportValidity()
    const wrong = [...isFree ? box ? [box] : [] : form.elements].filter(one =>
      one.matches(':invalid:not(fieldset)') && !(one === field && isForeign()))
    for (const one of boxes()) one.setAttribute('aria-invalid', wrong.includes(one))
    // The browser says what is wrong with the one that it focuses, but cannot focus a hidden one.
    if (wrong.length && !wrong.includes(page.activeElement)) {
      const { name, validationMessage: detail } = wrong[0]
      reject(detail, '/' + name)
      emit('refused', { detail, errors: [{ pointer: '/' + name, detail }] })
    }
    return !wrong.length
  }

  const finish = () => {
    isExecuting = false
    enable()
    // Disabling it took its focus.
    if (hadFocus) button?.focus()
  }
  const report = (name, data, text = texts[name] || data.message) => {
    // Where code.js does not load, nothing else says what is left to do.
    const next = name === 'completed' && !shared.begin && texts.link
    show(next ? text + ' – ' + next : text, name)
    state.data = data
    if (name !== 'started') finish()
    emit(name, data)
  }
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (isExecuting || !isFilledIn(event.submitter)) return
    if (blocked.has(new URL(form.action).origin)) return form.submit()
    isExecuting = true
    if (!state.texts) load().catch(() => {})
    hadFocus = page.activeElement === button
    enable()
    if (texts.started) show(texts.started, 'started')
    try {
      const reply = await send('', new FormData(element), { Prefer: 'respond-async' })
      const problem = await reply.json()
      if (reply.ok)
        return follow(new URL(reply.headers.get('Location'), form.action).href, report, problem)
      finish()
      reject(problem.detail, problem.errors?.[0].pointer)?.focus?.()
      suggest(problem.suggestion)
      emit('refused', problem)
    } catch {
      report('failed', error, texts.unreachable)
    }
  })

  // Adds the box before the button, or before the element of the form that contains it.
  const ask = () => {
    const box = Object.assign(page.createElement('input'), {
      type: 'checkbox', name: 'consent', value: texts.consent, required: true
    })
    excuse(box)
    const label = page.createElement('label'), text = page.createElement('span')
    label.className = 'consent'
    text.textContent = texts.consent
    label.append(box, ' ', text)
    let place = button || form.lastChild
    while (place.parentNode !== element) place = place.parentNode
    place.before(label)
  }
  const load = async () => {
    texts = state.texts = { ...await (await send('embed.json')).json(), ...form.dataset }
    if (texts.consent && !named('consent')) {
      isAsked = true
      ask()
    }
    if (texts.enlistNext !== 'none' || 'enlistPage' in form.dataset)
      loadCode(new URL('code.js', form.action).href)
  }
  load().catch(() => {})
  enable()
  if (field.value) check()
}

const upgradeAll = () => page.querySelectorAll('form[data-enlist]').forEach(upgrade)
const start = () => {
  upgradeAll()
  setInterval(upgradeAll, 500)
  // Pages add forms later, too.
  new MutationObserver(upgradeAll)
    .observe(page.documentElement, { childList: true, subtree: true })
  page.querySelectorAll('[data-enlist-execution]').forEach(element =>
    follow(element.dataset.enlistExecution, (name, data) => {
      element.textContent = element.dataset[name] || data.message
      element.dataset.state = name
    })
  )
}
page.readyState === 'loading' ? addEventListener('DOMContentLoaded', start) : start()
})()
