-- What waits for the person, in a window beside their work: shown by itself once they pause, one view at a time, and never
-- with the focus. For half a second after a view is shown, changes or gets the focus, none of its keys decides.
local displayed = require('toolgate.displayed')
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local M = {
  --- Where a view is shown by itself: "split", "float" or "none".
  where = 'split',
  --- How long no key decides after a view is shown, changes or gets the focus.
  guard_ms = 500,
  --- How long nobody must have pressed a key before a view is shown by itself.
  idle_ms = 1000,
}

local LOOK_MS = 200
local space = vim.api.nvim_create_namespace('toolgate_beside')
local now = function() return vim.loop.hrtime() / 1e6 end
local touched_at = 0

--- All that waits, oldest first. Each is a table with
---   name      of its buffer
---   title     in a line, for who chooses among several
---   draw()    gives its lines, the highlights {line, group}, the folds {first, last}, and the last line that a decision needs
---   keys      by key, a function that gets the view
---   drawn()   the lines are in the buffer; left out where nothing is added to them
---   left()    it was closed, which decides nothing; left out where nobody cares
---   about()   what its status line says besides, if anything
--- It is given `buffer`, `ready_at`, `is_put_away` and `is_over` here.
local views = {}

--- What waits, oldest first.
function M.all()
  return views
end

local function buffer_of(view)
  return view.buffer and vim.api.nvim_buf_is_valid(view.buffer) and view.buffer or nil
end

local function windows_of(view)
  return buffer_of(view) and vim.fn.win_findbuf(view.buffer) or {}
end

local of_buffer = {}

--- The view that the current window shows.
function M.current()
  return of_buffer[vim.api.nvim_get_current_buf()]
end

local function position(view)
  for index, each in ipairs(views) do
    if each == view then return index end
  end
end

--- None of its keys decides for half a second.
local function guard(view) view.ready_at = now() + M.guard_ms end

M.guard = guard

--- Whether a key may decide now; says why not.
function M.may_decide(view)
  if view.is_over then
    say('this call no longer waits. q closes this window.')
  elseif now() < view.ready_at then
    say('the call was just displayed: review it and press again.')
  else
    return true
  end
end

--- Whether a key may approve now: all that a decision needs has been displayed. Says why not.
function M.may_approve(view)
  return M.may_decide(view) and displayed.check(view)
end

--- Closing a view, however it is done, is no vote; but it is not shown by itself again.
local function put_away(view)
  if view.is_over or vim.v.exiting ~= vim.NIL then return end
  view.is_put_away = true
  if view.left then view.left() end
end

local function make(view)
  view.buffer = scratch.new(view.name, 'toolgate')
  of_buffer[view.buffer] = view
  for key, act in pairs(view.keys) do
    vim.keymap.set('n', key, function() act(view) end, { buffer = view.buffer, nowait = true, desc = 'Toolgate' })
  end
  local function on(events, act)
    vim.api.nvim_create_autocmd(events, { buffer = view.buffer, callback = act })
  end
  on({ 'BufEnter', 'WinEnter', 'FocusGained' }, function() guard(view) end)
  on('BufWinLeave', function() put_away(view) end)
  on('BufWipeout', function() of_buffer[view.buffer] = nil end)
end

local function drawn(view)
  if view.is_drawn and buffer_of(view) then return view.buffer end
  if not buffer_of(view) then make(view) end
  local lines, marks, folds, last = view.draw()
  scratch.fill(view.buffer, lines, marks)
  if view.drawn then view.drawn() end
  displayed.start(view, lines, last or #lines, view.has_more)
  view.folds, view.is_drawn = folds, true
  guard(view)
  return view.buffer
end

local function dress(window, view)
  for name, value in pairs({ number = false, relativenumber = false, signcolumn = 'no', wrap = true, spell = false,
    breakindent = true, showbreak = '↪ ', list = false, foldmethod = 'manual', foldenable = true, winfixheight = true,
    statusline = "%{%v:lua.require'toolgate.beside'.line()%}" }) do
    vim.api.nvim_win_set_option(window, name, value)
  end
  vim.api.nvim_win_call(window, function()
    vim.cmd('silent! normal! zE')
    for _, fold in ipairs(view.folds or {}) do
      vim.cmd(('%d,%dfold'):format(fold[1], fold[2]))
    end
    vim.cmd('normal! gg')
  end)
end

--- The status line of the window of a view.
function M.line()
  local view = M.current()
  local index = view and position(view)
  if not index then return ' Toolgate' end
  local about = view.about and view.about()
  local text = (' Toolgate  %d of %d%s'):format(index, #views, about and ' · ' .. about or '')
  return (text:gsub('%%', '%%%%')) .. '%=%p%% '
end

--- A new window for a buffer, beside what the person does; the focus stays where it is.
local function open_beside(buffer)
  local height = math.max(3, math.min(vim.api.nvim_buf_line_count(buffer), math.floor(vim.o.lines * 0.4)))
  if M.where == 'float' then
    local width = math.min(100, vim.o.columns - 4)
    return vim.api.nvim_open_win(buffer, false, { relative = 'editor', anchor = 'SE', border = 'single',
      row = vim.o.lines - vim.o.cmdheight - 1, col = vim.o.columns, width = width, height = height })
  end
  local here = vim.api.nvim_get_current_win()
  vim.cmd(('noautocmd keepalt botright %dsplit'):format(height))
  local window = vim.api.nvim_get_current_win()
  vim.cmd(('noautocmd keepalt buffer %d'):format(buffer))
  vim.cmd(('noautocmd call win_gotoid(%d)'):format(here))
  return window
end

--- The window of this tab that shows a view, if one does: there is never more than one.
local function window_beside()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if of_buffer[vim.api.nvim_win_get_buf(window)] then return window end
  end
end

local function delete(view)
  if buffer_of(view) then vim.api.nvim_buf_delete(view.buffer, { force = true }) end
end

--- Shows another view in the window of one, which is not put away by that.
local function turn(window, view)
  local buffer, before = drawn(view), of_buffer[vim.api.nvim_win_get_buf(window)]
  vim.api.nvim_win_call(window, function() vim.cmd(('noautocmd keepalt buffer %d'):format(buffer)) end)
  guard(view)
  dress(window, view)
  if before and before.is_over then delete(before) end
end

--- Shows the view and goes there: only because the person said so.
function M.visit(view)
  view.is_put_away = false
  local here, window = vim.api.nvim_get_current_win(), window_beside()
  if not window then
    window = open_beside(drawn(view))
    dress(window, view)
  elseif vim.api.nvim_win_get_buf(window) ~= drawn(view) then
    turn(window, view)
  end
  if window ~= here then view.from = here end
  vim.api.nvim_set_current_win(window)
end

--- Whether the person sees the view as it is now.
function M.is_shown(view)
  return view.is_drawn and #windows_of(view) > 0
end

--- Goes on to the next view, or the one that is so many further.
function M.step(view, by)
  local next = views[((position(view) or 0) - 1 + by) % math.max(1, #views) + 1]
  if not next or next == view then return say('no other call is waiting.') end
  next.is_put_away, next.from = false, view.from
  turn(vim.api.nvim_get_current_win(), next)
end

--- Goes on from a view that is over to what has waited longest; puts it away where nothing waits.
function M.next(view)
  local next = views[1]
  if not next then return M.put_away(view) end
  next.is_put_away, next.from = false, view.from
  turn(vim.api.nvim_get_current_win(), next)
end

local function close(view)
  local was_here = M.current() == view
  for _, window in ipairs(windows_of(view)) do
    if not pcall(vim.api.nvim_win_close, window, true) then
      vim.api.nvim_win_set_buf(window, vim.api.nvim_create_buf(true, false))
    end
  end
  -- To where the person came from; Neovim would take whatever window is next.
  if was_here and view.from and vim.api.nvim_win_is_valid(view.from) then vim.api.nvim_set_current_win(view.from) end
end

--- Closes the view. What it shows waits on.
function M.put_away(view)
  close(view)
  if view.is_over then delete(view) end
end

--- Whether nobody is at work in a way that a new window would disturb.
local function is_idle()
  return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == '' and now() - touched_at > M.idle_ms
end

local timer = vim.loop.new_timer()

--- Shows the oldest that was not shown yet, once nobody types, one at a time.
local function show_when_idle()
  local wanted
  for _, view in ipairs(views) do
    if #windows_of(view) > 0 then return timer:stop() end
    if not view.is_put_away then wanted = wanted or view end
  end
  if not wanted or M.where == 'none' then return timer:stop() end
  -- Whoever compares two texts is at work.
  if not is_idle() or vim.wo.diff then return end
  local window = window_beside()
  if not window then
    dress(open_beside(drawn(wanted)), wanted)
  elseif window ~= vim.api.nvim_get_current_win() then
    -- It shows what is over, and the person has left it.
    turn(window, wanted)
  end
end

local function watch() timer:start(0, LOOK_MS, vim.schedule_wrap(show_when_idle)) end

--- This waits from now on.
function M.add(view)
  table.insert(views, view)
  vim.cmd('redrawstatus!')
  watch()
end

--- It would be drawn otherwise by now.
function M.renew(view)
  view.is_drawn = false
  if not buffer_of(view) then return end
  drawn(view)
  for _, window in ipairs(windows_of(view)) do
    dress(window, view)
  end
end

--- What it shows is the same, but there is more to say of it: keys decide as before.
function M.say_more(view)
  local ready_at = view.ready_at
  view.has_more = true
  M.renew(view)
  view.ready_at, view.has_more = ready_at, nil
end

local function forget(view)
  view.is_over = true
  local index = position(view)
  if index then table.remove(views, index) end
  vim.cmd('redrawstatus!')
  watch()
end

--- The person decided: it goes.
function M.remove(view)
  forget(view)
  close(view)
  delete(view)
end

--- Shows other lines in a view that is over.
function M.fill(view, lines, marks)
  if buffer_of(view) then scratch.fill(view.buffer, lines, marks) end
end

--- It waits no more. Under the hands of the person it is not closed, since the next key would go elsewhere: it shows these lines,
--- and this returns true.
function M.finish(view, lines, marks)
  if M.current() ~= view then return M.remove(view) end
  forget(view)
  view.displayed = nil
  M.fill(view, lines, marks)
  vim.cmd('normal! gg')
  return true
end

--- Begins to know when a key was last pressed.
function M.setup(where)
  M.where = where
  displayed.setup(function(buffer) return of_buffer[buffer] end)
  vim.on_key(function() touched_at = now() end, space)
end

return M
