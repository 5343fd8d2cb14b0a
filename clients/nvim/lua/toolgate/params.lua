-- Other parameters for a call before it is approved. They are only written here: what the call would do with them is asked of
-- the server and shown, and decided on there.
local approvals = require('toolgate.approvals')
local ordered = require('toolgate.ordered')
local same = require('toolgate.same')
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {}

--- The object that this text is; nil, and why, where it is none.
local function read(text)
  local ok, params = pcall(ordered.decode, text)
  if ok and type(params) == 'table' and not vim.startswith(vim.trim(text), '[') then return params end
  return nil, ok and 'the parameters must be a JSON object' or params
end

--- A JSON object of these fields and of one whose JSON text is the person's: numbers in it are not ours to round.
local function with(fields, name, text)
  return ('{"%s":'):format(name) .. text .. ',' .. vim.json.encode(fields):sub(2)
end

--- Whether these are the parameters of the call.
function M.are(text, call)
  return same(read(text), call.params)
end

--- What an approval is sent with, so that the call runs with the parameters that are shown of it, and does what is shown.
function M.approving(changed, fields)
  local bound = vim.tbl_extend('force', fields, { modified_digest = changed.changed.digest })
  return with(bound, 'modified_params', changed.changed.text)
end

--- The call as it is shown with other parameters. Its own digest stays that of the call as it was asked.
local function changed_by(call, text, found)
  local approval = vim.tbl_extend('force', call.approval, {
    level = found.verdict.decision == 'strict' and 'strict' or call.approval.level,
    reason = found.verdict.reason,
    matched_rules = found.verdict.matched_rules,
    -- What merely reads and is allowed by itself has none.
    preview = found.preview or { title = call.tool .. ' with other parameters' },
    always_options = {},
  })
  return vim.tbl_extend('force', call, {
    params = read(text), approval = approval, changed = { text = text, digest = found.digest },
  })
end

--- Asks what the call would do with these parameters, and changes nothing. Calls back with the call as it would be: its
--- `changed` holds the `text` of the parameters and the `digest` of what they would do. With nil and why where it can't be.
function M.foresee(call, text, done)
  local fields = { dry_run = true }
  for _, name in ipairs({ 'tool', 'session_id', 'workspace', 'agent', 'executor' }) do
    if type(call[name]) == 'string' then fields[name] = call[name] end
  end
  session.post('/calls', with(fields, 'params', text), function(found, failure)
    if failure then return done(nil, failure.message) end
    if found.verdict.decision == 'deny' then return done(nil, found.verdict.reason) end
    done(changed_by(call, text, found))
  end)
end

--- Opens the parameters as JSON, or this text that the person had of them. Writing or leaving that buffer is no vote; <C-c><C-c> in it calls `done` with the call as it
--- would be with them, once the server has checked them.
function M.edit(call, kept, done)
  local here = vim.api.nvim_get_current_win()
  local buffer = scratch.new('params/' .. call.tool_call_id, 'json')
  local before = call.changed and call.changed.text or words.json(call.params)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(kept or before, '\n'))
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  say('<C-c><C-c> shows the preview, <C-c><C-k> discards the changes.')

  local function leave()
    local is_here = vim.api.nvim_get_current_buf() == buffer
    pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    if is_here and vim.api.nvim_win_is_valid(here) then vim.api.nvim_set_current_win(here) end
  end
  local function check()
    local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    local params, why = read(text)
    if not params then return say('invalid parameters: ' .. why, vim.log.levels.ERROR) end
    local asked = approvals.find(call.tool_call_id)
    if not asked then return say('this call no longer waits.') end
    if text == before then
      leave()
      return say('parameters unchanged; decide on the call in this window.')
    end
    -- What is checked is what stands here.
    vim.bo[buffer].modifiable = false
    M.foresee(asked, text, function(changed, problem)
      if not vim.api.nvim_buf_is_valid(buffer) then return end
      vim.bo[buffer].modifiable = true
      if approvals.find(call.tool_call_id) ~= asked then
        return say('call changed or decided elsewhere; this buffer has your edits.', vim.log.levels.WARN)
      end
      if not changed then return say('invalid: ' .. problem, vim.log.levels.ERROR) end
      leave()
      done(changed)
    end)
  end
  vim.keymap.set('n', '<C-c><C-c>', check, { buffer = buffer, nowait = true })
  vim.keymap.set('n', '<C-c><C-k>', leave, { buffer = buffer, nowait = true })
end

return M
