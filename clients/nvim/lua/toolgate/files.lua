-- Files and buffers: what changed on the disk is read again where nothing is lost by it, and what is not saved is sent to
-- the server, so that tools read what the person sees and nobody writes beneath it unseen.
local say = require('toolgate.say').say
local session = require('toolgate.session')
local M = {
  --- Whether buffers without changes are read again when their file has changed.
  reload = true,
  --- How long leaving Neovim may wait until the server knows that nothing is held any more.
  leave_ms = 300,
}

local GATHER_MS, SETTLE_MS, RENEW_MS = 100, 300, 45000

--- The file that a buffer is, where it is one: its name as it is on the disk.
local function file_in(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) or vim.bo[buffer].buftype ~= '' then return end
  local name = vim.api.nvim_buf_get_name(buffer)
  return name ~= '' and not name:match('^%a+://') and name or nil
end

--- The buffer that holds a file, links followed; nil where none does.
function M.buffer_of(file)
  local real = vim.loop.fs_realpath(file) or file
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = file_in(buffer)
    if name and (vim.loop.fs_realpath(name) or name) == real then return buffer end
  end
end

local changed = {}
local gather = vim.loop.new_timer()

local function read_again(buffer)
  if vim.bo[buffer].modified then
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':~:.')
    return say(name .. ' changed on disk; unsaved changes are kept (:e! discards them)',
      vim.log.levels.WARN)
  end
  -- Without asking, whatever the person has set for other changes: it was approved.
  local before = vim.api.nvim_buf_get_option(buffer, 'autoread')
  vim.api.nvim_buf_set_option(buffer, 'autoread', true)
  vim.cmd('silent! checktime ' .. buffer)
  vim.api.nvim_buf_set_option(buffer, 'autoread', before)
end

local function read_all_again()
  local files = changed
  changed = {}
  for file in pairs(files) do
    local buffer = vim.loop.fs_stat(file) and M.buffer_of(file)
    if buffer then read_again(buffer) end
  end
  vim.cmd('silent! doautocmd <nomodeline> User ToolgateFileChanged')
end

local function note(event)
  local file = session.file_of(event.workspace, event.path)
  if not M.reload or not file then return end
  changed[file] = true
  gather:start(GATHER_MS, 0, vim.schedule_wrap(read_all_again))
end

--- The text of a buffer as its file would be, but for line ends, which are always LF.
function M.text_of(buffer)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  return vim.bo[buffer].endofline and text .. '\n' or text
end

--- By buffer: what the server was sent, {workspace, path, tick}.
local sent = {}
local queue, busy = {}, false

--- One request after the other, so that the newest text is sent last.
local function next_request()
  local send = table.remove(queue, 1)
  busy = send ~= nil
  if send then session.request(send, next_request) end
end

local function enqueue(send)
  table.insert(queue, send)
  if not busy then next_request() end
end

local function put(buffers, workspace)
  enqueue({ method = 'PUT', path = '/buffers', body = vim.json.encode({
    buffers = buffers, workspace = workspace, client_id = session.client_id,
  }) })
end

local function drop(buffer)
  local path = ('/buffers?path=%s&workspace=%s&client_id=%s'):format(
    session.encode(sent[buffer].path), session.encode(sent[buffer].workspace), session.client_id)
  sent[buffer] = nil
  enqueue({ method = 'DELETE', path = path })
end

--- Reports what is not saved and was not sent, and of what was and is saved or closed by now.
local function tell_all()
  if session.state ~= 'live' then return end
  for buffer in pairs(sent) do
    if not file_in(buffer) or not vim.bo[buffer].modified then drop(buffer) end
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = file_in(buffer)
    local tick = name and vim.api.nvim_buf_get_changedtick(buffer)
    if name and vim.bo[buffer].modified and not (sent[buffer] and sent[buffer].tick == tick) then
      local workspace, path = session.place_of(name)
      if workspace then
        sent[buffer] = { workspace = workspace.name, path = path, tick = tick }
        put({ { path = path, content = M.text_of(buffer), version = tick } }, workspace.name)
      end
    end
  end
end

local settle, renewal = vim.loop.new_timer(), vim.loop.new_timer()

--- Soon, once the person pauses.
function M.tell_soon()
  settle:start(SETTLE_MS, 0, vim.schedule_wrap(tell_all))
end

--- By name, the workspaces that something is held of.
local function workspaces_told()
  local workspaces = {}
  for _, each in pairs(sent) do
    workspaces[each.workspace] = true
  end
  return workspaces
end

--- The lease on what is held runs out unless it is renewed.
local function renew()
  for workspace in pairs(workspaces_told()) do
    if session.state == 'live' then put({}, workspace) end
  end
end

--- Takes all back at once: nobody holds it any more. Where the server does not answer in time its lease runs out.
local function leave()
  settle:stop()
  renewal:stop()
  if session.state ~= 'live' or not next(sent) then return end
  local workspaces = workspaces_told()
  sent, queue = {}, {}
  for workspace in pairs(workspaces) do
    enqueue({ method = 'DELETE', path = ('/buffers?workspace=%s&client_id=%s'):format(session.encode(workspace), session.client_id) })
  end
  vim.wait(M.leave_ms, function() return not busy end, 5)
end

function M.setup(reload)
  M.reload = reload
  local group = vim.api.nvim_create_augroup('toolgate_files', { clear = true })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'InsertLeave', 'BufWritePost', 'BufUnload', 'BufReadPost',
    'BufModifiedSet' }, { group = group, callback = M.tell_soon })
  vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = leave })
  renewal:start(RENEW_MS, RENEW_MS, vim.schedule_wrap(renew))
  session.listen(function(event)
    if event.type == 'file.changed' then
      note(event)
      if event.from then note({ workspace = event.workspace, path = event.from }) end
    elseif event.type == 'workspaces' then
      -- A server that was started anew knows of none.
      sent = {}
      M.tell_soon()
    end
  end)
end

return M
