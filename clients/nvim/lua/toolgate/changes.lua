-- The changes of a session: what its calls made of each file, as one diff per file.
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {}

--- Number of the newest calls among which a session with changes is looked for.
local MAX_RECENT_CALLS = 50

local function report(failure) say(failure.message, vim.log.levels.ERROR) end

local function show(found)
  local name = 'changes/' .. found.session_id
  local buffer = vim.fn.bufnr('toolgate://' .. vim.fn.escape(name, '*?[]{},'))
  if buffer < 0 then buffer = scratch.new(name) end
  scratch.fill(buffer, words.of_changes(found))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true })
  local window = vim.fn.bufwinid(buffer)
  if window >= 0 then return vim.api.nvim_set_current_win(window) end
  vim.cmd('botright 15split')
  vim.api.nvim_win_set_buf(0, buffer)
end

local function load(session_id, workspace)
  local query = workspace and '?workspace=' .. session.encode(workspace) or ''
  session.request_pages('/sessions/' .. session.encode(session_id) .. '/changes' .. query, 'files', function(found, failure)
    if not found then return report(failure) end
    if #found.files == 0 then return say('no call of the session ' .. words.brief(session_id) .. ' changed a file.') end
    show(found)
  end)
end

--- Shows the changes of a session; without one, of the session that changed files last.
function M.open(session_id)
  if session_id then return load(session_id) end
  session.request({ path = '/calls?limit=' .. MAX_RECENT_CALLS }, function(log, failure)
    if not log then return report(failure) end
    for _, call in ipairs(log.calls) do
      if #(call.changes or {}) > 0 then return load(call.session_id, call.workspace) end
    end
    say('no recent call has changed a file.')
  end)
end

return M
