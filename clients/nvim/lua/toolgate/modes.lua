-- Modes of sessions: which calls run without asking. They are read from the server, and set for the session of a call.
local say = require('toolgate.say').say
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {
  --- All modes, from the strictest to the loosest.
  MODES = { 'plan', 'ask', 'accept-edits', 'auto' },
  --- The modes that are set: {session_id, workspace, mode, token_id?} each, the latest last.
  set = {},
  --- The mode of all other sessions.
  default = 'ask',
}

--- The choice that returns a session to the configured mode.
M.CONFIGURED = 'configured'

--- Modes that a person can choose.
M.CHOICES = vim.list_extend({ M.CONFIGURED }, M.MODES)

local function is_of(call)
  return function(each) return each.session_id == call.session_id and each.workspace == call.workspace end
end

--- The mode of the session of a call; several where its tokens have different ones.
function M.of(call)
  local found = {}
  for _, each in ipairs(vim.tbl_filter(is_of(call), M.set)) do
    if not vim.tbl_contains(found, each.mode) then table.insert(found, each.mode) end
  end
  return #found > 0 and table.concat(found, ', ') or M.default
end

--- For a status line: the modes that are set and do not merely ask.
function M.brief()
  local found = {}
  for _, each in ipairs(M.set) do
    if each.mode ~= 'ask' and not vim.tbl_contains(found, each.mode) then table.insert(found, each.mode) end
  end
  return table.concat(found, ',')
end

--- Reads the modes, and reads them again when the first of them expires.
local function read()
  session.request_pages('/modes', 'modes', function(answer)
    if not answer then return end
    M.set, M.default = answer.modes, answer.default
    local first
    for _, each in ipairs(M.set) do
      local left = type(each.expires_at) == 'string' and math.max(1, words.time_of(each.expires_at) - os.time() + 1)
      if left and (not first or left < first) then first = left end
    end
    -- Longer timers are beyond what a number of milliseconds can hold here.
    if first and first < 86400 then vim.defer_fn(read, first * 1000) end
    vim.cmd('redrawstatus!')
  end)
end

session.listen(function(event)
  if event.type == 'stream.snapshot' or event.type == 'stream.gap' or event.type == 'session.mode' then read() end
end)

--- Sets the mode of the session of a call, or returns it to the configured one.
local function apply(call, mode)
  local path = ('/sessions/%s/mode'):format(session.encode(call.session_id))
  local send = mode == M.CONFIGURED
    and { method = 'DELETE', path = ('%s?workspace=%s'):format(path, session.encode(call.workspace)) }
    or { method = 'PUT', path = path, body = vim.json.encode({ mode = mode, workspace = call.workspace }) }
  session.request(send, function(_, failure)
    if failure then return say(failure.message, vim.log.levels.ERROR) end
    say(('session %s: mode %s'):format(words.brief(call.session_id), mode))
  end)
end

--- Sets the mode of the session of a call, which the person chooses where none is given.
function M.choose(call, mode)
  if mode and not vim.tbl_contains(M.CHOICES, mode) then
    return say(('%s is not a mode; available: %s.'):format(mode, table.concat(M.CHOICES, ', ')), vim.log.levels.ERROR)
  end
  if mode then return apply(call, mode) end
  vim.ui.select(M.CHOICES, {
    prompt = ('Mode of the session %s, now %s:'):format(words.brief(call.session_id), M.of(call)),
  }, function(chosen) if chosen then apply(call, chosen) end end)
end

--- Chooses a mode for the session whose mode was set last.
function M.choose_latest(mode)
  local latest = M.set[#M.set]
  if not latest then return say('there is no session: no call is waiting, and no mode is set.', vim.log.levels.WARN) end
  M.choose(latest, mode)
end

return M
