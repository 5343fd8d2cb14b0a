-- Buffers that are no files: what is shown to the person in them, and how.
local M = {}

local space = vim.api.nvim_create_namespace('toolgate')

--- Gives a buffer that is no file this text, in these colours: {line, group}, of a part of it {line, group, from, to}.
function M.fill(buffer, lines, marks)
  vim.bo[buffer].modifiable = true
  -- A line feed within a line can't be shown as it is.
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(function(line) return (line:gsub('\n', '␊')) end, lines))
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_add_highlight(buffer, space, mark[2], mark[1] - 1, mark[3] or 0, mark[4] or -1)
  end
end

--- A buffer that is no file.
function M.new(name, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, 'toolgate://' .. name)
  vim.bo[buffer].bufhidden = 'hide'
  if filetype then vim.bo[buffer].filetype = filetype end
  return buffer
end

--- Shows these lines over all else, until one of the keys that put it away.
function M.help(lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  M.fill(buffer, lines, {})
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local here = vim.api.nvim_get_current_win()
  vim.api.nvim_open_win(buffer, true, { relative = 'editor', border = 'single', style = 'minimal',
    width = math.min(width, vim.o.columns - 4), height = math.min(#lines, vim.o.lines - 5), row = 1, col = 2 })
  local function leave()
    if vim.api.nvim_buf_is_valid(buffer) then vim.api.nvim_buf_delete(buffer, { force = true }) end
  end
  for _, key in ipairs({ 'q', '?', '<Esc>', '<CR>' }) do
    vim.keymap.set('n', key, function()
      leave()
      if vim.api.nvim_win_is_valid(here) then vim.api.nvim_set_current_win(here) end
    end, { buffer = buffer, nowait = true })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = buffer, once = true, callback = vim.schedule_wrap(leave) })
end

--- Colours, after those of diffs and comments.
function M.setup()
  for name, like in pairs({ Title = 'Title', Muted = 'Comment', Warning = 'WarningMsg', Added = 'DiffAdd',
    Removed = 'DiffDelete', Hunk = 'Special' }) do
    vim.api.nvim_set_hl(0, 'Toolgate' .. name, { link = like, default = true })
  end
end

return M
