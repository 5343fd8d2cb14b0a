-- Speaking HTTP by curl. What is secret goes to its standard input, where no list of processes shows it.
local ordered = require('toolgate.ordered')
local M = {}

--- What every curl is started with: nothing of ~/.curlrc, no proxy on the way to this machine, its settings by stdin.
local CURL = { 'curl', '-q', '-sS', '--noproxy', '*', '-K', '-' }

--- Starts curl. `send` has path, method, headers, body; `on` has stdout(data) and exit(code, status, said).
function M.start(connection, send, on)
  local command, config = vim.deepcopy(CURL), {}
  local function set(name, value)
    table.insert(config, ('%s = "%s"'):format(name, (value:gsub('[\\"]', '\\%0'):gsub('[\r\n]', ''))))
  end
  set('url', connection.url .. send.path)
  if send.method then set('request', send.method) end
  if connection.token then set('header', 'Authorization: Bearer ' .. connection.token) end
  set('header', 'X-Toolgate-Client: neovim')
  for name, value in pairs(send.headers or {}) do
    set('header', name .. ': ' .. value)
  end
  local file
  if send.body then
    -- By a file, in the folder that is Neovim's alone: a line of settings may not be as long as a text.
    file = vim.fn.tempname()
    local handle = assert(io.open(file, 'wb'))
    vim.loop.fs_chmod(file, 384)
    handle:write(send.body)
    handle:close()
    set('header', 'Content-Type: application/json')
    set('data-binary', '@' .. file)
  end
  set('write-out', '%{stderr}\n%{http_code}')
  vim.list_extend(command, send.flags or {})

  local said, ended, waits_for = {}, 0, 3
  -- That the program has ended may be told before all that it has said.
  local function finish(code)
    ended, waits_for = code or ended, waits_for - 1
    if waits_for > 0 then return end
    if file then vim.loop.fs_unlink(file) end
    local status = tonumber(said[#said]) or 0
    on.exit(ended, status, vim.trim(table.concat(said, '\n', 1, math.max(0, #said - 1))))
  end
  local job = vim.fn.jobstart(command, {
    on_stdout = function(_, data)
      if #data == 1 and data[1] == '' then return finish() end
      on.stdout(data)
    end,
    stderr_buffered = true,
    on_stderr = function(_, data)
      said = data
      finish()
    end,
    on_exit = function(_, code) finish(code) end,
  })
  if job <= 0 then error('curl cannot be started; it is required to connect to the server.', 0) end
  vim.fn.chansend(job, table.concat(config, '\n') .. '\n')
  vim.fn.chanclose(job, 'stdin')
  return job
end

--- One request. Calls back with the decoded answer, or with nil and {code, message, status, details}.
function M.request(connection, send, done)
  local pieces = {}
  local flags = { '--max-time', tostring(send.timeout or 60) }
  M.start(connection, vim.tbl_extend('force', send, { flags = flags }), {
    stdout = function(data) table.insert(pieces, table.concat(data, '\n')) end,
    exit = function(code, status, said)
      local text = table.concat(pieces)
      local ok, answer = pcall(ordered.decode, text)
      if code == 0 and status >= 200 and status < 300 then return done(ok and answer or text) end
      local problem = ok and type(answer) == 'table' and answer or {}
      done(nil, {
        status = status,
        code = problem.code or 'UNREACHABLE',
        message = problem.detail or (said ~= '' and said) or (connection.url .. ' answered ' .. status .. '.'),
        details = problem.details,
      })
    end,
  })
end

return M
