-- Two texts of a file side by side, in a tab of their own.
local hidden = require('toolgate.hidden')
local M = {}

local space = vim.api.nvim_create_namespace('toolgate_hidden')

--- The lines of a text, and whether its last one ends.
local function lines_of(text)
  local ends = text == '' or text:sub(-1) == '\n'
  return vim.split((text:gsub('\n$', '')), '\n'), ends
end

--- Says beside a line what it hides; the line itself stays as it is.
local function tell_hidden(buffer, lines)
  for index, line in ipairs(lines) do
    local shown, places = hidden.shown(line)
    if #places > 0 then
      local told = vim.tbl_map(function(place) return shown:sub(place[1] + 1, place[2]) end, places)
      local text = ' ← ' .. table.concat(vim.list_slice(told, 1, 8), ' ') .. (#told > 8 and ' …' or '')
      vim.api.nvim_buf_set_extmark(buffer, space, index - 1, 0, { virt_text = { { text, 'ToolgateWarning' } } })
    end
  end
end

local function side(name, text)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, 'toolgate://' .. name)
  local lines, ends = lines_of(text)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].endofline = ends
  tell_hidden(buffer, lines)
  vim.bo[buffer].bufhidden = 'wipe'
  if vim.fn.exists('#filetypedetect') == 1 then
    vim.api.nvim_buf_call(buffer, function() vim.cmd('silent! doautocmd <nomodeline> filetypedetect BufRead') end)
  end
  return buffer
end

--- The text of a buffer, with a line end where its last line has one.
function M.text_of(buffer)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  return vim.bo[buffer].endofline and text ~= '' and text .. '\n' or text
end

--- Opens both, and goes to the second; `name` is that of the file. Gives {tab, before, after}, buffers, read-only.
function M.open(name, before, after)
  local pair = { before = side('before/' .. name, before or ''), after = side('after/' .. name, after or '') }
  vim.cmd('tabnew')
  pair.tab = vim.api.nvim_get_current_tabpage()
  local empty = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, pair.before)
  vim.cmd('diffthis | rightbelow vsplit')
  vim.api.nvim_win_set_buf(0, pair.after)
  vim.cmd('diffthis')
  pcall(vim.api.nvim_buf_delete, empty, {})
  for _, buffer in ipairs({ pair.before, pair.after }) do
    vim.bo[buffer].modifiable = false
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buffer, nowait = true })
  end
  return pair
end

--- Closes the tab, if it is still there.
function M.close(pair)
  if not vim.api.nvim_tabpage_is_valid(pair.tab) then return end
  pcall(vim.cmd, 'tabclose ' .. vim.api.nvim_tabpage_get_number(pair.tab))
end

--- Closes the tab, but not under the hands of the person: they may be typing there. Then it goes once they leave it.
function M.close_when_left(pair)
  if pair.tab ~= vim.api.nvim_get_current_tabpage() then return M.close(pair) end
  vim.api.nvim_create_autocmd('TabEnter', { callback = function()
    if vim.api.nvim_get_current_tabpage() == pair.tab then return end
    vim.schedule(function() M.close(pair) end)
    return true
  end })
end

return M
