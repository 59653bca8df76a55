// Shows the numbers of the moment every few seconds. The service makes the page, so this only
// replaces the parts that have changed.
const period = 5000
const parser = new DOMParser()

function replace(page) {
  document.title = page.title
  for (const part of page.querySelectorAll('#time, section[id]')) {
    const shown = document.getElementById(part.id)
    // A part that someone is using stays.
    if (shown.contains(document.activeElement)) continue
    const open = [...shown.querySelectorAll('details')].map(details => details.open)
    part.querySelectorAll('details').forEach((details, index) => { details.open = open[index] })
    if (shown.innerHTML !== part.innerHTML) shown.replaceChildren(...part.childNodes)
  }
}

function lost() {
  const status = document.querySelector('[role=status]')
  status.className = 'warning'
  status.textContent = 'The board cannot reach the service; the numbers below are old.'
}

async function refresh() {
  if (!document.hidden) {
    try {
      const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
      const page = parser.parseFromString(await response.text(), 'text/html')
      if (page.getElementById('well')) replace(page)
      // The session has ended.
      else if (response.ok) return location.reload()
      else lost()
    } catch { lost() }
  }
  setTimeout(refresh, period)
}

setTimeout(refresh, period)
