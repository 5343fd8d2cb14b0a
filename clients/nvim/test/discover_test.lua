local discover = require('toolgate.discover')

local is_same = require('toolgate.same')

local function same(actual, expected)
  assert(is_same(actual, expected), vim.inspect(actual) .. '\nis not\n' .. vim.inspect(expected))
end

--- A folder of run files, and the environment that names it.
local function world(files, test)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. '/run', 'p', 448)
  for _, name in ipairs({ 'a/b', 'ab' }) do
    vim.fn.mkdir(folder .. '/' .. name, 'p')
  end
  for name, record in pairs(files(vim.loop.fs_realpath(folder))) do
    local file = folder .. '/run/' .. name
    vim.fn.writefile({ type(record) == 'string' and record or vim.json.encode(record) }, file)
    vim.loop.fs_chmod(file, name:match('open') and 420 or 384)
  end
  local before = { vim.env.TOOLGATE_RUN_DIR, vim.env.HOME, vim.env.TOOLGATE_URL, vim.env.TOOLGATE_TOKEN_FILE }
  vim.env.TOOLGATE_RUN_DIR, vim.env.HOME, vim.env.TOOLGATE_URL = folder .. '/run', folder, nil
  local ok, why = pcall(test, vim.loop.fs_realpath(folder))
  vim.env.TOOLGATE_RUN_DIR, vim.env.HOME, vim.env.TOOLGATE_URL, vim.env.TOOLGATE_TOKEN_FILE = unpack(before, 1, 4)
  assert(ok, why)
end

local function record(instance, roots, more)
  return vim.tbl_extend('force', { schema = 1, instance = instance, url = 'http://127.0.0.1:1/' .. instance, token = 't',
    host = vim.loop.os_gethostname(), roots = roots, started_at = '2026-01-01T00:00:00Z' }, more or {})
end

local function names(candidates)
  return vim.tbl_map(function(each) return each.record.instance end, candidates)
end

local function three(folder)
  return {
    ['wide.json'] = record('wide', { folder .. '/a' }),
    ['close.json'] = record('close', { folder .. '/ab', folder .. '/a/b' }),
    ['newer.json'] = record('newer', { folder .. '/a' }, { started_at = '2026-02-01T00:00:00Z' }),
    ['elsewhere.json'] = record('elsewhere', { folder .. '/a' }, { host = 'another' }),
    ['open.json'] = record('open', { folder .. '/a' }),
    ['half.json'] = '{"schema":1',
    ['other-schema.json'] = record('other', { folder .. '/a' }, { schema = 2 }),
    ['odd.json'] = record('odd', { 1, folder .. '/a' }),
    ['.hidden.json'] = record('hidden', { folder .. '/a' }),
  }
end

return {
  ['the closest root wins, then the newest; what cannot be believed is not there'] = function()
    world(three, function(folder)
      same(names(discover.candidates(folder .. '/a/b')), { 'close', 'newer', 'wide' })
      same(names(discover.candidates(folder .. '/a')), { 'newer', 'wide' })
      same(names(discover.candidates(folder .. '/ab')), { 'close' })
      same(names(discover.candidates(folder)), {})
    end)
  end,

  ['an address of the environment takes its token from a file of the user'] = function()
    world(function() return {} end, function(folder)
      vim.env.TOOLGATE_URL = 'http://127.0.0.1:9/'
      vim.env.TOOLGATE_TOKEN_FILE = folder .. '/token'
      vim.fn.writefile({ ('x'):rep(30), '' }, folder .. '/token')
      vim.loop.fs_chmod(folder .. '/token', 384)
      same(discover.candidates(folder), { { url = 'http://127.0.0.1:9', token = ('x'):rep(30) } })
      vim.loop.fs_chmod(folder .. '/token', 420)
      local ok, why = pcall(discover.candidates, folder)
      same({ ok, why }, { false, 'The token file ' .. folder .. '/token is accessible to other users; run chmod 600 on it.' })
      vim.env.TOOLGATE_TOKEN_FILE = nil
      ok, why = pcall(discover.candidates, folder)
      same({ ok, why:match('there is no token for this server') }, { false, 'there is no token for this server' })
    end)
  end,
}
