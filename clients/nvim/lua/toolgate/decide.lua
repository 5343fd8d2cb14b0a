-- A decision on what was shown, and what became of it: whoever decided is told what is true, also where the call had ended by
-- then, or comes to nothing later.
local approvals = require('toolgate.approvals')
local say = require('toolgate.say').say
local session = require('toolgate.session')

--- Calls that were approved here and of which no end is known, by id: `tool`, whether the server has answered, and the event
--- by which it `ended` where that came first.
local approved = {}

local UNDER_WAY = { queued = true, running = true, success = true }

local function tell(tool, call)
  if UNDER_WAY[call.status] then return say('approved ' .. tool) end
  if call.status == 'rejected' then return say('rejected ' .. tool) end
  say(('%s %s'):format(tool, approvals.became(call)), vim.log.levels.WARN)
end

session.listen(function(event)
  local mine = event.type == 'tool.result' and approved[event.tool_call_id]
  if not mine then return end
  mine.ended = event
  if not mine.is_answered then return end
  approved[event.tool_call_id] = nil
  if event.status ~= 'success' then tell(mine.tool, event) end
end)

local function tell_failure(call, failure)
  if failure.code == 'PREVIEW_CHANGED' then
    say('not approved: the preview has changed. Review it again.', vim.log.levels.WARN)
    -- The event with the call as it is now may be on its way; whoever is first shows it.
    return approvals.read(call.tool_call_id)
  end
  local why = failure.status == 0 and 'the decision may not have been applied: ' .. failure.message or failure.message
  say(why, vim.log.levels.ERROR)
end

--- Decides what was shown: `verb` is "approve" or "reject", `body` JSON text or a table. A call is decided once at a time.
return function(call, verb, body)
  if call.deciding then return end
  local id, mine = call.tool_call_id, { tool = call.tool }
  call.deciding = true
  approved[id] = verb == 'approve' and mine or nil
  session.post(('/calls/%s/%s'):format(id, verb), body, function(answer, failure)
    call.deciding, mine.is_answered = nil, true
    local now = mine.ended or answer
    if failure or now.status ~= 'queued' and now.status ~= 'running' then approved[id] = nil end
    if not failure and now.status == 'awaiting_approval' then
      local approval = now.approval
      say(('approved %s: %d of %d approvals. It waits for another person.'):format(
        call.tool, #(approval.approvals or {}), approval.approvals_needed or 1))
      return approvals.read(id)
    end
    if not failure then
      tell(call.tool, now)
      return approvals.settle(id, verb, true)
    end
    if call.ended then return approvals.settle(id, call.ended) end
    tell_failure(call, failure)
  end)
end
