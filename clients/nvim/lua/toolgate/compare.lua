-- The whole texts of what a call would change, before and after, side by side in a tab of their own.
local session = require('toolgate.session')
local M = {}

--- Tabs by call.
local tabs = {}

local function side(name, text, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(((text or ''):gsub('\n$', '')), '\n'))
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  if filetype then vim.bo[buffer].filetype = filetype end
  vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buffer, nowait = true })
  return buffer
end

local function show(call, file)
  local stem = ('toolgate://%s/%s/%s'):format(call.approval.digest:sub(1, 8), '%s', file.to or file.path)
  local before = side(stem:format('before'), file.before)
  local after = side(stem:format('after'), file.after)
  vim.cmd('tabnew')
  local empty = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, before)
  vim.cmd('diffthis | rightbelow vsplit')
  vim.api.nvim_win_set_buf(0, after)
  vim.cmd('diffthis')
  pcall(vim.api.nvim_buf_delete, empty, {})
  tabs[call.tool_call_id] = tabs[call.tool_call_id] or {}
  table.insert(tabs[call.tool_call_id], vim.api.nvim_get_current_tabpage())
end

--- Asks for the texts of exactly what was shown, and opens them; of several files the person chooses one.
function M.open(call)
  local path = ('/calls/%s/preview?digest=%s'):format(call.tool_call_id, call.approval.digest)
  session.request({ path = path }, function(proposal, failure)
    if failure then return session.notify(failure.message, vim.log.levels.ERROR) end
    if #proposal.files == 0 then return session.notify('it shows no change of a file: there is nothing to compare.') end
    local function one(file)
      if not file then return end
      if file.withheld then return session.notify(('%s: no texts, %s'):format(file.path, file.withheld:gsub('_', ' '))) end
      show(call, file)
    end
    if #proposal.files == 1 then return one(proposal.files[1]) end
    vim.ui.select(proposal.files, { prompt = 'Compare:', format_item = function(file) return file.to or file.path end }, one)
  end)
end

--- The call waits no more: what is shown of it goes, but for what a person looks at just now.
function M.close(id)
  for _, tab in ipairs(tabs[id] or {}) do
    if vim.api.nvim_tabpage_is_valid(tab) and tab ~= vim.api.nvim_get_current_tabpage() then
      pcall(vim.cmd, 'tabclose ' .. vim.api.nvim_tabpage_get_number(tab))
    end
  end
  tabs[id] = nil
end

return M
