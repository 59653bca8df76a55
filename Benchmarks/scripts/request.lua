-- Sends the same request repeatedly: wrk … URL -- METHOD BODY
function init(arguments)
  wrk.method = arguments[1]
  wrk.body = arguments[2]
  wrk.headers["Content-Type"] = "application/json"
end
