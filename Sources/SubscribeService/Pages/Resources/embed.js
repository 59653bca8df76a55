// Makes <form data-enlist action="https://list.example.org/subscribers"> live.
// Without it the form still works. Its events, which bubble, and their details:
//   enlist:checked    what POST /email-checks answered
//   enlist:started, :completed, :failed    the message
//   enlist:refused    the problem details (RFC 9457)
(() => {
	'use strict'
	// Tells the messages of an execution, until its end.
	const follow = (url, tell) => {
		const source = new EventSource(url)
		for (const name of ['started', 'completed', 'failed']) {
			source.addEventListener(name, event => {
				if (name !== 'started') source.close()
				tell(name, JSON.parse(event.data))
			})
		}
		// A browser comes back by itself, unless it was told not to.
		source.onerror = () => {
			if (source.readyState === EventSource.CLOSED) tell('failed', { message: 'Error :(' })
		}
	}

	const upgrade = form => {
		const field = form.elements.namedItem('email')
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
		const say = (text, state) => {
			status.textContent = text
			status.dataset.state = state
		}

		// The validity signal, and not while the command executes.
		let isValid = false
		let isExecuting = false
		const enable = () => {
			if (button) button.disabled = isExecuting || !isValid
		}
		let suggested
		const suggest = address => {
			suggested = address
			hint.hidden = !address
			hint.textContent = (form.dataset.suggestion || 'Did you mean {}?').replace('{}', () => address)
		}

		let count = 0
		let timer
		const check = async () => {
			clearTimeout(timer)
			const mine = ++count
			const email = field.value
			let result = { valid: email !== '' }
			try {
				const reply = await post('email-checks', { email })
				if (reply.ok) result = await reply.json()
			} catch {}
			if (mine !== count) return
			isValid = result.valid
			enable()
			suggest(result.suggestion)
			emit('checked', result)
			return result
		}
		const restart = delay => {
			count++
			if (!isExecuting) say('', '')
			field.removeAttribute('aria-invalid')
			clearTimeout(timer)
			timer = setTimeout(check, delay)
		}
		const reject = text => {
			field.setAttribute('aria-invalid', 'true')
			say(text, 'refused')
		}
		const validate = async () => {
			if (isExecuting || !field.value) return
			const result = await check()
			if (result?.detail && !isExecuting) reject(result.detail)
		}
		field.addEventListener('input', () => restart(200))
		field.addEventListener('change', validate)
		field.addEventListener('keydown', async event => {
			// A button that is not enabled yet would swallow it.
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

		let hadFocus
		const finish = () => {
			isExecuting = false
			enable()
			// Disabled, it has lost it.
			if (hadFocus) button.focus()
		}
		const tell = (name, data) => {
			say(form.dataset[name] || data.message, name)
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
				if (reply.ok) {
					return follow(new URL(reply.headers.get('Location') + '/events', form.action), tell)
				}
				const problem = await reply.json()
				finish()
				if (reply.status === 422) reject(problem.detail)
				else say(problem.detail, 'refused')
				suggest(problem.suggestion)
				emit('refused', problem)
			} catch {
				tell('failed', { message: 'Error :(' })
			}
		})

		enable()
		if (field.value) check()
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
