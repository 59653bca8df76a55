// Enlist: makes <form data-enlist action="https://list.example.org/subscribers"> live.
// Without this script the form still works. Events on the form, which bubble:
//   enlist:checked    detail: what POST /email-checks answered
//   enlist:started, enlist:completed, enlist:failed    detail: the message
//   enlist:refused    detail: the problem details (RFC 9457)
(() => {
	'use strict'
	const terminal = ['completed', 'failed']

	// Tells the messages of an execution, until its end.
	const follow = (url, tell) => {
		const source = new EventSource(url)
		for (const name of ['started', ...terminal]) {
			source.addEventListener(name, event => {
				if (terminal.includes(name)) source.close()
				tell(name, JSON.parse(event.data))
			})
		}
		// A browser comes back by itself, unless the server has told it not to.
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
		const find = (name, tag) => {
			const found = form.querySelector(`[data-enlist-${name}]`)
			return found || form.appendChild(document.createElement(tag))
		}
		const hint = find('suggestion', 'button')
		hint.type = 'button'
		hint.hidden = true
		const status = find('status', 'p')
		status.setAttribute('role', 'status')

		const post = (path, body, headers) =>
			fetch(new URL(path, form.action), {
				method: 'POST',
				headers: { Accept: 'application/json', ...headers },
				body: new URLSearchParams(body)
			})
		const emit = (name, detail) =>
			form.dispatchEvent(new CustomEvent(`enlist:${name}`, { bubbles: true, detail }))
		const say = (text, state) => {
			status.textContent = text
			status.dataset.state = state
		}
		const message = (name, data) => form.dataset[name] || data.message

		// The button: the validity signal, and not while its command executes.
		let isValid = false
		let isExecuting = false
		const enable = () => {
			if (button) button.disabled = isExecuting || !isValid
		}
		const suggest = address => {
			hint.hidden = !address
			hint.dataset.address = address || ''
			hint.textContent = (form.dataset.suggestion || 'Did you mean {}?').replace('{}', address || '')
		}

		let count = 0
		let timer
		const check = async () => {
			const mine = ++count
			const email = field.value
			let answer
			try {
				answer = await (await post('email-checks', { email })).json()
			} catch {
				// Whether it is an address is then told by the sign-up itself.
				answer = { valid: email !== '' }
			}
			if (mine !== count) return answer
			isValid = answer.valid
			enable()
			suggest(answer.suggestion)
			emit('checked', answer)
			return answer
		}
		const restart = () => {
			if (!isExecuting) say('', '')
			field.removeAttribute('aria-invalid')
			clearTimeout(timer)
			timer = setTimeout(check, 200)
		}
		field.addEventListener('input', restart)
		field.addEventListener('change', async () => {
			clearTimeout(timer)
			if (isExecuting || field.value === '') return
			const answer = await check()
			if (answer.valid === false && answer.detail) refuse(answer.detail)
		})
		const refuse = text => {
			field.setAttribute('aria-invalid', 'true')
			say(text, 'refused')
		}
		hint.addEventListener('click', () => {
			field.value = hint.dataset.address
			field.focus()
			restart()
			clearTimeout(timer)
			check()
		})

		const tell = (name, data) => {
			say(message(name, data), name)
			if (terminal.includes(name)) {
				isExecuting = false
				enable()
			}
			emit(name, data)
		}
		form.addEventListener('submit', async event => {
			event.preventDefault()
			if (isExecuting) return
			isExecuting = true
			enable()
			try {
				const answer = await post('', new FormData(form), { Prefer: 'respond-async' })
				if (answer.ok) {
					follow(new URL(answer.headers.get('Location') + '/events', form.action), tell)
					return
				}
				const problem = await answer.json()
				isExecuting = false
				enable()
				if (answer.status === 422) refuse(problem.detail)
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
	if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start)
	else start()
})()
