-- Comments of a person on lines of a diff, shown below them, which are sent with a rejection. A view has its `comments`, and
-- `targets`, the lines of files that it shows: {path, side, line}, by line of the buffer.
local ask = require('toolgate.prompt').ask
local hidden = require('toolgate.hidden')
local say = require('toolgate.say').say
local M = {}

local space = vim.api.nvim_create_namespace('toolgate_comments')

--- As many comments, and as many characters of each, as the server accepts.
local MAX_COMMENTS, MAX_CHARACTERS = 50, 2000
--- Virtual lines are not wrapped.
local MAX_WIDTH = 72

local function is_at(target, comment)
  return target.path == comment.path and target.side == comment.side and target.line == comment.line
end

--- The number of comments in words; nil where there are none.
function M.count(view)
  local count = #(view.comments or {})
  if count > 0 then return ('%d %s'):format(count, count == 1 and 'comment' or 'comments') end
end

--- The last line of the buffer that shows a line of a file: a long one takes several.
local function line_of(view, comment)
  local last
  for line, target in pairs(view.targets) do
    if is_at(target, comment) then last = math.max(last or 0, line) end
  end
  return last
end

local function virtual_lines(text)
  local lines, shown = {}, (hidden.shown((text:gsub('\n', '␊'))))
  for first = 0, math.max(0, vim.fn.strchars(shown) - 1), MAX_WIDTH do
    table.insert(lines, { { '  » ' .. vim.fn.strcharpart(shown, first, MAX_WIDTH), 'ToolgateTitle' } })
  end
  return lines
end

--- Shows the comments in the buffer of the view.
function M.show(view)
  vim.api.nvim_buf_clear_namespace(view.buffer, space, 0, -1)
  for _, comment in ipairs(view.comments or {}) do
    local line = line_of(view, comment)
    if line then vim.api.nvim_buf_set_extmark(view.buffer, space, line - 1, 0, { virt_lines = virtual_lines(comment.text) }) end
  end
  vim.cmd('redrawstatus!')
end

--- The view shows these lines of files from now on.
function M.place(view, targets)
  view.targets = targets
end

--- Drops the comments on lines that the view does not show any more, and says how many.
function M.keep(view)
  local kept = vim.tbl_filter(function(comment) return line_of(view, comment) end, view.comments or {})
  local dropped = #(view.comments or {}) - #kept
  view.comments = kept
  if dropped == 0 then return end
  say(('%d %s dropped: the lines are no longer in the diff.'):format(dropped, dropped == 1 and 'comment was' or 'comments were'))
end

--- Replaces the comment on a line; an empty text removes it.
local function put(view, target, text)
  local others = vim.tbl_filter(function(comment) return not is_at(target, comment) end, view.comments)
  if text ~= '' then table.insert(others, vim.tbl_extend('force', target, { text = text })) end
  view.comments = others
  M.show(view)
end

--- Asks for the comment on the line of the cursor, or for what it is to be.
function M.ask(view)
  local target = view.targets[vim.api.nvim_win_get_cursor(0)[1]]
  if not target then return say('no line of a file here: comments are on lines of the diff.') end
  local before = vim.tbl_filter(function(comment) return is_at(target, comment) end, view.comments)[1]
  if not before and #view.comments >= MAX_COMMENTS then return say(('a rejection has at most %d comments.'):format(MAX_COMMENTS)) end
  local prompt = ('Comment on %sline %d: '):format(target.side == 'old' and 'removed ' or '', target.line)
  ask({ prompt = prompt, default = before and before.text }, function(text)
    if not text or view.is_over then return end
    text = vim.trim(text)
    if vim.fn.strchars(text) > MAX_CHARACTERS then
      return say(('the comment is too long: at most %d characters.'):format(MAX_CHARACTERS), vim.log.levels.ERROR)
    end
    put(view, target, text)
  end)
end

--- The call does not wait any more.
function M.forget(view)
  view.comments = {}
  if view.buffer and vim.api.nvim_buf_is_valid(view.buffer) then M.show(view) end
end

--- Whether the view may be approved: comments are sent with a rejection only. Says why not.
function M.may_approve(view)
  local count = M.count(view)
  if count then say(('not approved: %s can only be sent with a rejection (n, r; c removes one).'):format(count)) end
  return not count
end

--- The fields of a rejection, with the comments.
function M.rejecting(view, fields)
  if not M.count(view) then return fields end
  return vim.tbl_extend('force', fields, { comments = vim.tbl_map(function(comment)
    return vim.tbl_extend('force', comment, { side = comment.side == 'old' and 'old' or nil })
  end, view.comments) })
end

--- A comment on a line.
function M.line_of(comment)
  return ('%s:%d%s: %s'):format(comment.path, comment.line, comment.side == 'old' and ' (removed line)' or '', comment.text)
end

return M
