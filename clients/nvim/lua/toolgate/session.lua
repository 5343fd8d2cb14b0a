-- The connection to the server of this project, and what all parts know of it.
local http = require('toolgate.http')
local say = require('toolgate.say').say
local stream = require('toolgate.stream')
local M = {
  --- "stopped", "off", "live", "lost" or "refused"; `why` says more.
  state = 'stopped',
  why = nil,
  --- Where the server is: {url, token, record?}.
  connection = nil,
  --- The folders served, each {name, root}; the longest root first.
  workspaces = {},
  client_id = ('neovim-%d-%d'):format(vim.loop.os_getpid(), math.floor(vim.loop.hrtime() / 1e6) % 100000),
}

--- All that is of interest here; what commands print is not.
local TYPES = {
  'tool.call', 'tool.decision', 'tool.result', 'tool.delegate', 'tool.delegation_ended', 'file.changed',
  'job.started', 'job.exited', 'agent.state', 'mcp.changed', 'workspace.changed', 'tools.changed', 'rules.changed',
  'session.mode',
}
local listeners, waiting = {}, {}

--- Calls `listener(event)` for every event, and for {type = "state"} when the connection is another.
function M.listen(listener)
  table.insert(listeners, listener)
end

--- Calls `act` once it is known how things stand, and never before `connect()`.
function M.once_known(act)
  if M.state ~= 'stopped' then return act() end
  table.insert(waiting, act)
end

local function tell(event)
  for _, listener in ipairs(listeners) do
    listener(event)
  end
end

local function say_state(state, why)
  if M.state == state then return end
  M.state, M.why = state, why
  if state == 'refused' then say('the server denies access to events: ' .. why, vim.log.levels.ERROR) end
  tell({ type = 'state' })
  -- Later, so that the snapshot of a stream that begins is heard before.
  local now_known = state ~= 'stopped' and waiting or {}
  waiting = {}
  for _, act in ipairs(now_known) do
    vim.schedule(act)
  end
  vim.cmd('redrawstatus!')
end

--- Follows the server of the project, now and whenever it is started again.
function M.connect(project, effects)
  M.disconnect()
  local query = ('client_id=%s&types=%s&effects=%s'):format(
    M.client_id, table.concat(TYPES, ','), table.concat(effects, ','))
  M.following = stream.follow(project, query, {
    state = say_state,
    event = tell,
    found = function(connection, go_on)
      M.connection = connection
      M.request({ path = '/capabilities' }, function(answer, failure)
        -- A token that is not known here any more is found out by following, too.
        if failure then return go_on(failure.status == 0 and failure.message or nil) end
        M.workspaces = answer.workspaces
        table.sort(M.workspaces, function(a, b) return #a.root > #b.root end)
        tell({ type = 'workspaces' })
        go_on()
      end)
    end,
  })
end

function M.disconnect()
  if M.following then M.following.stop() end
  M.following, M.connection = nil, nil
  say_state('stopped')
end

--- One request to the server; `done(answer, failure)` is called later.
function M.request(send, done)
  if not M.connection then
    return done(nil, { code = 'UNREACHABLE', message = M.why or 'No server is connected. See :Toolgate connect.' })
  end
  http.request(M.connection, send, done)
end

--- A text as a part of a path or query.
function M.encode(text)
  return (text:gsub('[^%w%-._~]', function(byte) return ('%%%02X'):format(byte:byte()) end))
end

--- Reads a list with all its pages: the first answer, with the items of all.
function M.request_pages(path, list, done)
  local first
  local function read(cursor)
    local sign = path:find('?', 1, true) and '&' or '?'
    M.request({ path = cursor and path .. sign .. 'cursor=' .. cursor or path }, function(page, failure)
      if not page then return done(nil, failure) end
      if first then vim.list_extend(first[list], page[list]) else first = page end
      if type(page.cursor) == 'string' then return read(page.cursor) end
      done(first)
    end)
  end
  read()
end

--- A request with a body. Text is sent as it is: numbers of a person's JSON are not ours to round.
function M.post(path, body, done)
  M.request({ method = 'POST', path = path, body = type(body) == 'string' and body or vim.json.encode(body) }, done)
end

--- The workspace that holds a file, and the path of the file in it; nil where none does.
function M.place_of(file)
  local real = vim.loop.fs_realpath(file)
  if not real then
    local folder = vim.loop.fs_realpath(vim.fn.fnamemodify(file, ':h'))
    real = folder and folder .. '/' .. vim.fn.fnamemodify(file, ':t')
  end
  for _, workspace in ipairs(real and M.workspaces or {}) do
    if vim.startswith(real, workspace.root .. '/') then return workspace, real:sub(#workspace.root + 2) end
  end
end

--- The whole path of a file of a workspace.
function M.file_of(workspace, path)
  for _, each in ipairs(M.workspaces) do
    if each.name == workspace then return each.root .. '/' .. path end
  end
end

return M
