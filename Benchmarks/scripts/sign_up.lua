-- Sends sign-ups, each with a different address: wrk … URL -- RUN [PAUSE]
--
-- RUN is a name that no other run on the same database uses. The addresses are spread over the whole
-- index, as in production: ascending ones would be cheaper to insert. PAUSE is the time between two
-- requests of a connection in milliseconds; without it there is none.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(arguments)
  run = arguments[1]
  sent = 0
  wrk.headers["Content-Type"] = "application/json"
  local pause = tonumber(arguments[2])
  if pause then
    function delay()
      return pause
    end
  end
end

function request()
  sent = sent + 1
  local spread = sent * 2654435761 % 4294967296
  local address = string.format("%08x.%d.%d@%s.example.com", spread, number, sent, run)
  return wrk.format("POST", nil, nil, '{"email":"' .. address .. '"}')
end
