-- Finding the server of a project: by the environment, else by the files that servers leave. A file that others could
-- have written is not believed, and no server before it has proven by /health that it knows the token of the file: after
-- a server has ended, any program may answer there.
local http = require('toolgate.http')
local M = {}

--- Calls back with {url, token, record?}, or with nil and why there is none.
function M.find(project, done)
  local ok, candidates = pcall(M.candidates, project)
  if not ok then return done(nil, tostring(candidates):gsub('^.-:%d+: ', '')) end
  local function try(index)
    local candidate = candidates[index]
    if not candidate then
      local folder = vim.fn.fnamemodify(project, ':~')
      return done(nil, ('No server was found. Start one: toolgate serve (in %s)'):format(folder))
    end
    if not candidate.record then return done(candidate) end
    local challenge, key = M.challenge(candidate.token), M.key(candidate.token)
    local path = ('/health?challenge=%s&key=%s'):format(challenge, key)
    http.request({ url = candidate.url }, { path = path, timeout = 2 }, function(health)
      local proof = M.proof(candidate.token, challenge, candidate.url:match('^%w+://([^/]+)'))
      if health and health.instance == candidate.record.instance and health.proof == proof then return done(candidate) end
      try(index + 1)
    end)
  end
  try(1)
end

local challenges = 0

--- What a server must answer to. No other program can foresee it, for it comes from the token, too.
function M.challenge(token)
  challenges = challenges + 1
  local parts = { token, vim.loop.hrtime(), vim.loop.os_getpid(), challenges }
  return vim.fn.sha256(table.concat(parts, ' ')):sub(1, 32)
end

--- What identifies a token, and does not reveal it.
function M.key(token) return vim.fn.sha256('key\n' .. vim.fn.sha256(token)):sub(1, 16) end

--- The answer of a server that knows the token and was asked at this host.
function M.proof(token, challenge, host)
  local digest = vim.fn.sha256(token)
  return vim.fn.sha256(digest .. '\n' .. vim.fn.sha256(table.concat({ digest, challenge, host }, '\n')))
end

--- What may be the server, the best first: the closest root, of several the newest.
function M.candidates(project)
  local named = vim.env.TOOLGATE_URL
  if named and named ~= '' then return M.by_address(named:gsub('/+$', '')) end
  local real = vim.loop.fs_realpath(project) or project
  local here = vim.loop.os_gethostname()
  local found = {}
  for _, record in ipairs(M.records()) do
    local closeness = record.host == here and M.closeness(record.roots, real)
    if closeness then
      table.insert(found, { url = record.url, token = record.token, record = record, closeness = closeness })
    end
  end
  table.sort(found, function(a, b)
    if a.closeness ~= b.closeness then return a.closeness > b.closeness end
    return a.record.started_at > b.record.started_at
  end)
  return found
end

function M.by_address(url)
  local file = vim.env.TOOLGATE_TOKEN_FILE
  if file and file ~= '' then return { { url = url, token = M.token_in(file) } } end
  for _, record in ipairs(M.records()) do
    if record.url == url then return { { url = url, token = record.token, record = record } } end
  end
  error('TOOLGATE_URL is ' .. url .. ', but there is no token for this server. Set TOOLGATE_TOKEN_FILE to the file that contains the token.', 0)
end

--- How long the longest of these roots is that holds the folder; nil where none does.
function M.closeness(roots, folder)
  local longest
  for _, root in ipairs(roots) do
    local prefix = root:gsub('/+$', '') .. '/'
    local holds = root == folder or vim.startswith(folder .. '/', prefix)
    if holds and (not longest or #root > longest) then longest = #root end
  end
  return longest
end

--- Where servers leave their files: a moved folder, and the usual one.
function M.folders()
  local home = vim.env.HOME or vim.loop.os_homedir()
  local usual = home .. '/.local/state/toolgate/run'
  local xdg = vim.env.XDG_STATE_HOME
  local state = xdg and vim.startswith(xdg, '/') and xdg or home .. '/.local/state'
  local moved = vim.env.TOOLGATE_RUN_DIR
  local main = moved and moved ~= '' and vim.fn.fnamemodify(moved, ':p'):gsub('/+$', '') or state .. '/toolgate/run'
  return main == usual and { main } or { main, usual }
end

--- Every file that can be read and believed, by the run of the server that it tells of.
function M.records()
  local records, seen = {}, {}
  for _, folder in ipairs(M.folders()) do
    local entries = vim.loop.fs_scandir(folder)
    for name in function() return entries and vim.loop.fs_scandir_next(entries) end do
      local record = name:match('^[^.].*%.json$') and M.record(folder .. '/' .. name)
      if record and not seen[record.instance] then
        seen[record.instance] = true
        table.insert(records, record)
      end
    end
  end
  return records
end

--- What one file says; nil where it is open to others or not whole.
function M.record(file)
  local stat = vim.loop.fs_lstat(file)
  if not stat or stat.type ~= 'file' or stat.uid ~= vim.loop.getuid() or bit.band(stat.mode, 63) ~= 0 then return end
  local ok, record = pcall(function() return vim.json.decode(M.text_of(file)) end)
  if not ok or type(record) ~= 'table' or record.schema ~= 1 or type(record.roots) ~= 'table' then return end
  for _, root in pairs(record.roots) do
    if type(root) ~= 'string' then return end
  end
  for _, field in ipairs({ 'instance', 'url', 'token', 'started_at' }) do
    if type(record[field]) ~= 'string' then return end
  end
  return record
end

--- The token in a file of the user's, refused where others could know or have written it.
function M.token_in(file)
  local stat = vim.loop.fs_stat(file)
  if not stat then error('The token file ' .. file .. " cannot be opened.", 0) end
  if stat.type ~= 'file' then error('The token file ' .. file .. ' is not a regular file.', 0) end
  if bit.band(stat.mode, 23) ~= 0 then error('The token file ' .. file .. ' is accessible to other users; run chmod 600 on it.', 0) end
  local token = vim.trim(vim.split(M.text_of(file), '\n')[1])
  if #token < 22 or token:find('[^\33-\126]') then
    error('The token file ' .. file .. ' must contain one line of at least 22 printable characters.', 0)
  end
  return token
end

function M.text_of(file)
  local handle = assert(io.open(file, 'rb'))
  local text = handle:read('*a')
  handle:close()
  return text
end

return M
