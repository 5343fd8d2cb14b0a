-- Changing the parameters of a call before it is approved.
local approvals = require('toolgate.approvals')
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local words = require('toolgate.words')
local M = {}

--- The object that this text is; nil, and why, where it is none.
local function read(text)
  local ok, params = pcall(vim.json.decode, text)
  if ok and type(params) == 'table' and not vim.startswith(vim.trim(text), '[') then return params end
  return nil, ok and 'an object is expected' or params
end

--- Opens the parameters as JSON. Writing or leaving that buffer is no vote; <C-c><C-c> in it is.
function M.edit(call)
  local here = vim.api.nvim_get_current_win()
  local buffer = scratch.new('params/' .. call.tool_call_id, 'json')
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(words.json(call.params), '\n'))
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  say('<C-c><C-c> approves with these, <C-c><C-k> leaves them.')

  local function leave()
    pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    if vim.api.nvim_win_is_valid(here) then vim.api.nvim_set_current_win(here) end
  end
  local function send()
    local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    local params, why = read(text)
    if not params then return say('these are no parameters: ' .. why, vim.log.levels.ERROR) end
    if not approvals.find(call.tool_call_id) then return say('this call waits no more.') end
    require('toolgate.view').confirm(call, function(more)
      local confirm = more.confirm and '"confirm":true,' or ''
      approvals.decide(call, 'approve', ('{%s"modified_params":%s}'):format(confirm, text))
      leave()
    end)
  end
  vim.keymap.set('n', '<C-c><C-c>', send, { buffer = buffer, nowait = true })
  vim.keymap.set('n', '<C-c><C-k>', leave, { buffer = buffer, nowait = true })
end

return M
