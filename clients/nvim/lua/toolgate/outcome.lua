-- The outcome of a call that was approved here, in the window of its view: status, exit code, files and the first lines of output.
local beside = require('toolgate.beside')
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {}

--- Views that show an outcome, by id of the call.
local views = {}

--- Asks for the call as it is now, and shows that.
local function read(id)
  session.request({ path = '/calls/' .. id }, function(call)
    local view = views[id]
    if call and view then beside.fill(view, words.of_outcome(call)) end
  end)
end

session.listen(function(event)
  if event.type == 'tool.result' and views[event.tool_call_id] then read(event.tool_call_id) end
end)

--- Shows what comes of the call in its view, if the person is there; else the view goes.
function M.show(view, call)
  local id = call.tool_call_id
  views = {}
  if not beside.finish(view, words.of_outcome(call)) then return end
  views[id] = view
  read(id)
end

return M
