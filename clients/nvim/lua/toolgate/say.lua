-- Telling the person something, in the one line there is for it. Where a message takes more, Neovim stops until a key is
-- pressed, and that key may have been meant for the text at hand.
local hidden = require('toolgate.hidden')
local M = {}

local COLOURS = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

--- Whether messages are shown as Neovim does; a plugin that shows them elsewhere has room for all.
local function is_plain()
  return debug.getinfo(vim.notify, 'S').source:find('vim/_', 1, true) ~= nil
end

--- As much of the beginning of a text as there is room for, and the rest.
local function split(text, room)
  local length = math.max(room, 1)
  while length > 1 and vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, length)) > room do
    length = length - 1
  end
  return vim.fn.strcharpart(text, 0, length), vim.fn.strcharpart(text, length)
end

--- What was said where it could not be seen.
local later = {}

local function show(text, level)
  local room = vim.v.echospace
  local function line(shown, is_kept)
    vim.api.nvim_echo({ { shown, COLOURS[level] } }, is_kept, {})
  end
  local whole = text:gsub('%s*\n%s*', ' ')
  local first, rest = split(whole, room)
  line(first, true)
  if rest == '' then return end
  -- :messages has all of it, in as many lines as it takes.
  while rest ~= '' do
    local more
    more, rest = split(rest, room)
    line(more, true)
  end
  first = split(whole, room - 1)
  line(first .. '…', false)
end

--- Whether the line is taken: by a command that is typed, or by what tells the mode.
local function is_taken()
  local mode = vim.api.nvim_get_mode().mode
  return mode:match('^c') ~= nil or (vim.o.showmode and not mode:match('^n'))
end

--- Says what has been kept back.
local function catch_up()
  if is_taken() then return end
  local messages = later
  later = {}
  for _, message in ipairs(messages) do
    show(message.text, message.level)
  end
end

vim.api.nvim_create_autocmd('ModeChanged', {
  group = vim.api.nvim_create_augroup('toolgate_say', { clear = true }),
  pattern = '*:n*',
  callback = function() if #later > 0 then vim.schedule(catch_up) end end,
})

--- Says it, at once or as soon as the person is done typing; all of it is in :messages. `level` is one of
--- `vim.log.levels`.
function M.say(text, level)
  text, level = 'Toolgate: ' .. hidden.shown(text), level or vim.log.levels.INFO
  if not is_plain() then return vim.notify(text, level) end
  if is_taken() then return table.insert(later, { text = text, level = level }) end
  show(text, level)
end

return M
