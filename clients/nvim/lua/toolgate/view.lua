-- Showing what waits, without ever taking the focus, and the keys that decide on it. One buffer for each call: found again
-- when it is shown again, gone when the call is decided.
local approvals = require('toolgate.approvals')
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {
  --- Where what waits is shown by itself: "split", "float" or "none".
  where = 'split',
}

local GUARD_MS, IDLE_MS = 500, 1000
local space = vim.api.nvim_create_namespace('toolgate')
local now = function() return vim.loop.hrtime() / 1e6 end
--- By call: {buffer, digest, ready_at}.
local views = {}
--- Calls whose view was put away; they are not shown by themselves again.
local put_away = {}
local touched_at = 0

local function guard(view) view.ready_at = now() + GUARD_MS end

local function windows_of(buffer)
  return vim.api.nvim_buf_is_valid(buffer) and vim.fn.win_findbuf(buffer) or {}
end

--- The view that the current buffer is.
local function current()
  local buffer = vim.api.nvim_get_current_buf()
  for id, view in pairs(views) do
    if view.buffer == buffer then return view, approvals.find(id) end
  end
end

local function fill(buffer, lines, marks)
  vim.bo[buffer].modifiable = true
  -- A line feed within a line can't be shown as it is.
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(function(line) return (line:gsub('\n', '␊')) end, lines))
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_add_highlight(buffer, space, mark[2], mark[1] - 1, 0, -1)
  end
end

--- A buffer that is no file.
function M.scratch(name, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, 'toolgate://' .. name)
  vim.bo[buffer].bufhidden = 'hide'
  if filetype then vim.bo[buffer].filetype = filetype end
  return buffer
end

--- The decision on what is in this buffer: false while its keys are dead, or where nothing is to be decided.
local function at_hand()
  local view, call = current()
  if not call then
    session.notify('this call waits no more. q puts it away.')
    return
  end
  if now() < view.ready_at then
    session.notify('it was shown just now; look, then press the key again.')
    return
  end
  return call, view
end

local function confirmed(call, done)
  if call.approval.level ~= 'strict' then return done({}) end
  vim.ui.input({ prompt = call.approval.preview.title .. ' is strict. Type yes to approve: ' }, function(said)
    if said == 'yes' then done({ confirm = true }) else session.notify('nothing decided, the call waits on.') end
  end)
end

local keys = {}

function keys.y()
  local call, view = at_hand()
  if not call then return end
  local digest = view.digest
  confirmed(call, function(more)
    approvals.decide(call, 'approve', vim.tbl_extend('force', { digest = digest }, more))
  end)
end

function keys.n()
  local call = at_hand()
  if call then approvals.decide(call, 'reject', vim.empty_dict()) end
end

function keys.r()
  local call = at_hand()
  if not call then return end
  vim.ui.input({ prompt = 'Reject ' .. call.tool .. ' because: ' }, function(reason)
    if reason and reason ~= '' then
      approvals.decide(call, 'reject', { reason = reason, user_message = reason })
    else
      session.notify('nothing decided, the call waits on.')
    end
  end)
end

function keys.a()
  local call, view = at_hand()
  if not call then return end
  local options, digest = call.approval.always_options, view.digest
  if #options == 0 then return session.notify('no rule could allow this for good: it is asked each time.') end
  vim.ui.select(options, {
    prompt = 'Approve, and remember:',
    format_item = function(option) return option.label .. ' — ' .. words.rules_of(option) end,
  }, function(option)
    if option then approvals.decide(call, 'approve', { digest = digest, always = option.id }) end
  end)
end

function keys.e()
  local call = at_hand()
  if call then M.edit(call) end
end

function keys.d()
  local _, call = current()
  if call then require('toolgate.compare').open(call) end
end

function keys.q()
  M.put_away()
end

keys['?'] = function() vim.api.nvim_echo({ { table.concat(words.HELP, '\n') } }, false, {}) end
keys[']]'] = function() M.step(1) end
keys['[['] = function() M.step(-1) end

--- Closing a view, however it is done, is no vote. It is not shown by itself again, and the server is told so.
local function seen_no_more(id)
  local call = approvals.find(id)
  if not call or vim.v.exiting ~= vim.NIL then return end
  put_away[id] = true
  if not call.delegation then return end
  session.post('/delegations/' .. call.delegation, { status = 'done' }, function() end)
  call.delegation = nil
end

local function make(call)
  local view = { buffer = M.scratch('call/' .. call.tool_call_id) }
  views[call.tool_call_id] = view
  vim.bo[view.buffer].filetype = 'toolgate'
  for key, act in pairs(keys) do
    vim.keymap.set('n', key, act, { buffer = view.buffer, nowait = true, desc = 'Toolgate' })
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'WinEnter', 'FocusGained' }, {
    buffer = view.buffer,
    callback = function() guard(view) end,
  })
  vim.api.nvim_create_autocmd('BufWinLeave', {
    buffer = view.buffer,
    callback = function() seen_no_more(call.tool_call_id) end,
  })
  return view
end

local function draw(call)
  local view = views[call.tool_call_id] or make(call)
  if view.digest == call.approval.digest then return view end
  local lines, marks, folds = words.of_call(call)
  fill(view.buffer, lines, marks)
  view.digest, view.folds = call.approval.digest, folds
  guard(view)
  return view
end

local function dress(window, view)
  for name, value in pairs({ number = false, relativenumber = false, signcolumn = 'no', wrap = true, spell = false,
    list = false, foldmethod = 'manual', foldenable = true, winfixheight = true }) do
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

--- A window for the view, beside what the person does; the focus stays where it is.
local function show_beside(view)
  local height = math.max(3, math.min(vim.api.nvim_buf_line_count(view.buffer), math.floor(vim.o.lines * 0.4)))
  if M.where == 'float' then
    local width = math.min(100, vim.o.columns - 4)
    return vim.api.nvim_open_win(view.buffer, false, { relative = 'editor', anchor = 'SE', border = 'single',
      row = vim.o.lines - vim.o.cmdheight - 1, col = vim.o.columns, width = width, height = height })
  end
  local here = vim.api.nvim_get_current_win()
  vim.cmd(('noautocmd keepalt botright %dsplit'):format(height))
  local window = vim.api.nvim_get_current_win()
  vim.cmd(('noautocmd keepalt buffer %d'):format(view.buffer))
  vim.cmd(('noautocmd call win_gotoid(%d)'):format(here))
  return window
end

--- Shows the call beside; does nothing where it is shown already.
function M.show(call)
  local view = draw(call)
  if #windows_of(view.buffer) > 0 then return end
  dress(show_beside(view), view)
end

--- Shows the call and goes there: only because a person said so.
function M.visit(call)
  put_away[call.tool_call_id] = nil
  M.show(call)
  vim.api.nvim_set_current_win(windows_of(views[call.tool_call_id].buffer)[1])
end

--- Whether the person has been shown the call as it is now.
function M.is_shown(call)
  local view = views[call.tool_call_id]
  return view and view.digest == call.approval.digest and #windows_of(view.buffer) > 0
end

--- The keys, for commands: they decide on what the current window shows.
function M.press(key)
  keys[key]()
end

function M.step(by)
  local _, call = current()
  local _, index = approvals.find(call and call.tool_call_id)
  local next = approvals.pending[((index or 1) - 1 + by) % math.max(1, #approvals.pending) + 1]
  if not next or next == call then return session.notify('nothing else waits.') end
  local view = draw(next)
  vim.api.nvim_win_set_buf(0, view.buffer)
  dress(vim.api.nvim_get_current_win(), view)
end

local function close(view)
  for _, window in ipairs(windows_of(view.buffer)) do
    if not pcall(vim.api.nvim_win_close, window, true) then
      vim.api.nvim_win_set_buf(window, vim.api.nvim_create_buf(true, false))
    end
  end
end

--- Closes the view of the current window. The call waits on.
function M.put_away()
  local view, call = current()
  if not view then return end
  close(view)
  if not call then vim.api.nvim_buf_delete(view.buffer, { force = true }) end
end

--- Opens the parameters as JSON. Writing or leaving that buffer is no vote; <C-c><C-c> in it is.
function M.edit(call)
  local buffer = M.scratch('params/' .. call.tool_call_id, 'json')
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(words.json(call.params), '\n'))
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  session.notify('<C-c><C-c> approves with these parameters, <C-c><C-k> leaves them.')
  local function send()
    local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    local ok, params = pcall(vim.json.decode, text)
    if not ok or type(params) ~= 'table' then
      return session.notify('these are no parameters, ' .. (ok and 'an object is expected' or params), vim.log.levels.ERROR)
    end
    if not approvals.find(call.tool_call_id) then return session.notify('this call waits no more.') end
    confirmed(call, function(more)
      local confirm = more.confirm and '"confirm":true,' or ''
      approvals.decide(call, 'approve', ('{%s"modified_params":%s}'):format(confirm, text))
      pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    end)
  end
  vim.keymap.set('n', '<C-c><C-c>', send, { buffer = buffer, nowait = true })
  vim.keymap.set('n', '<C-c><C-k>', '<Cmd>bwipeout!<CR>', { buffer = buffer, nowait = true })
end

--- Whether nobody is at work in a way that a new window would disturb.
local function is_idle()
  return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == '' and now() - touched_at > IDLE_MS
end

local timer = vim.loop.new_timer()

--- Shows the oldest that was not shown yet, once nobody types, one at a time.
local function show_when_idle()
  local wanted
  for _, call in ipairs(approvals.pending) do
    local view = views[call.tool_call_id]
    if view and #windows_of(view.buffer) > 0 then wanted = nil break end
    if not put_away[call.tool_call_id] then wanted = wanted or call end
  end
  if not wanted or M.where == 'none' then return timer:stop() end
  if is_idle() then M.show(wanted) end
end

local function watch() timer:start(0, 200, vim.schedule_wrap(show_when_idle)) end

approvals.on.opened = function(call)
  session.notify(('%s waits: %s  (:Toolgate approvals)'):format(call.tool, call.approval.preview.title))
  watch()
end

approvals.on.renewed = function(call)
  local view = views[call.tool_call_id]
  if not view then return end
  draw(call)
  for _, window in ipairs(windows_of(view.buffer)) do
    dress(window, view)
  end
end

approvals.on.settled = function(call, how, mine)
  local view = views[call.tool_call_id]
  put_away[call.tool_call_id] = nil
  require('toolgate.compare').close(call.tool_call_id)
  if not mine then session.notify(('%s %s'):format(call.tool, how)) end
  if not view then return watch() end
  -- Under the hands of a person nothing is closed by others: the next key would go elsewhere.
  if not mine and vim.api.nvim_get_current_buf() == view.buffer then
    fill(view.buffer, { ('%s: %s'):format(call.tool, how), '', 'q puts this away.' }, { { 1, 'ToolgateTitle' } })
    view.digest = nil
  else
    views[call.tool_call_id] = nil
    close(view)
    pcall(vim.api.nvim_buf_delete, view.buffer, { force = true })
  end
  watch()
end

--- Colours, after those of diffs and comments; and knowing when a key was last pressed.
function M.setup(where)
  M.where = where
  for name, like in pairs({ Title = 'Title', Muted = 'Comment', Warning = 'WarningMsg', Added = 'DiffAdd',
    Removed = 'DiffDelete', Hunk = 'Special' }) do
    vim.api.nvim_set_hl(0, 'Toolgate' .. name, { link = like, default = true })
  end
  vim.on_key(function() touched_at = now() end, space)
end

return M
