-- Records which lines of a view have been on the screen: nothing is approved that was not. Lines are recorded as Neovim draws
-- them, so a jump to the end does not count for the middle, and keys that are ahead of the screen count for nothing.
local say = require('toolgate.say').say
local M = {}

local space = vim.api.nvim_create_namespace('toolgate_displayed')

--- Windows that were drawn, and what they show: {window, view}.
local drawn = {}

--- Whether the only line of a window is longer than the window.
local function is_cut(info, buffer)
  if info.botline > info.topline then return false end
  local line = vim.api.nvim_buf_get_lines(buffer, info.topline - 1, info.topline, false)[1] or ''
  return vim.fn.strdisplaywidth(line) > info.width * info.height
end

local function record(window, view)
  local info = vim.fn.getwininfo(window)[1]
  if not info or not view.displayed or not vim.wo[window].wrap or is_cut(info, view.buffer) then return end
  for line = info.topline, info.botline do
    view.displayed[line] = true
  end
end

--- Begins to record; `view_of` returns the view that a buffer shows, or nil.
function M.setup(view_of)
  vim.api.nvim_set_decoration_provider(space, {
    on_start = function() drawn = {} end,
    on_win = function(_, window, buffer)
      local view = view_of(buffer)
      if view then table.insert(drawn, { window, view }) end
      return false
    end,
    -- Only now it is known which line is the last one in the window.
    on_end = function()
      for _, each in ipairs(drawn) do
        record(each[1], each[2])
      end
    end,
  })
end

--- The view has new lines, of which those up to `last` must be displayed. With `is_more` it has only more lines than before.
function M.start(view, lines, last, is_more)
  local before, known = view.lines or {}, is_more and view.displayed or {}
  view.lines, view.last, view.displayed = lines, last, {}
  local first = 1
  while first <= #before and before[first] == lines[first] do
    view.displayed[first] = known[first]
    first = first + 1
  end
  for line = #before, first, -1 do
    local now = line + #lines - #before
    if before[line] ~= lines[now] then break end
    view.displayed[now] = known[line]
  end
end

--- Lines in closed folds of the current window have to be displayed again.
local function forget_folded(view)
  local line = 1
  while line <= view.last do
    local last = vim.fn.foldclosedend(line)
    for folded = line, last do
      view.displayed[folded] = nil
    end
    line = math.max(line, last) + 1
  end
end

--- The first line that was not displayed, and how many there are; nil where there is none.
local function missing(view)
  local first, count = nil, 0
  for line = 1, view.last do
    if not view.displayed[line] then first, count = first or line, count + 1 end
  end
  return first, count
end

--- The file of the diff that a line is about, if any.
local function file_at(view, line)
  for at = math.min(line + 1, #view.lines), 1, -1 do
    local file = view.lines[at]:match('^%+%+%+ b/(.+)') or view.lines[at]:match('^%-%-%- a/(.+)')
    if file then return file end
  end
end

--- What was not displayed, in words; nil where all was.
local function summary(view)
  local line, count = missing(view)
  if not line then return end
  local file = file_at(view, line)
  return ('%d %s not displayed yet%s'):format(count, count == 1 and 'line' or 'lines', file and ', next in ' .. file or '')
end

--- Whether all of the view has been displayed that a decision needs; says what has not.
function M.check(view)
  forget_folded(view)
  if not missing(view) then return true end
  -- The key can be ahead of the screen.
  vim.cmd('redraw')
  local left = summary(view)
  if left then
    say(('not approved: %s (Space shows the next part).'):format(left))
  else
    require('toolgate.beside').guard(view)
    say('key ignored: the last part has just been displayed.')
  end
  return false
end

--- Whether all of a view that is not in the current window was displayed; says what was not.
function M.was_displayed(view)
  local left = summary(view)
  if left then say(('not accepted: %s (<C-c><C-k> returns to the proposal).'):format(left)) end
  return not left
end

--- Says how much is left, which is nothing to keep in :messages.
local function say_left(view)
  vim.api.nvim_echo({ { 'Toolgate: ' .. (summary(view) or 'everything has been displayed') } }, false, {})
end

--- Shows the next part of the view that was not displayed, in the current window.
function M.page(view)
  if view.is_over then return require('toolgate.beside').next(view) end
  vim.wo.wrap = true
  vim.cmd('redraw')
  forget_folded(view)
  local line = missing(view)
  if not line then
    vim.cmd('silent! normal! \6')
    return say_left(view)
  end
  vim.fn.winrestview({ topline = line, lnum = line, col = 0 })
  vim.cmd('normal! zv')
  vim.cmd('redraw')
  say_left(view)
end

return M
