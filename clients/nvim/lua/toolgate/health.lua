-- :checkhealth toolgate
local M = {}

--- As Neovim calls them now, and as it did until 0.8.
local function reports()
  local now, before = vim.health or {}, vim.health or require('health')
  return {
    start = now.start or before.report_start,
    ok = now.ok or before.report_ok,
    warn = now.warn or before.report_warn,
    error = now.error or before.report_error,
  }
end

function M.check()
  local report = reports()
  report.start('Toolgate')
  if vim.fn.has('nvim-0.7.2') == 1 then
    report.ok('Neovim is new enough')
  else
    report.error('Neovim is older than 0.7.2', { 'Install a newer version of Neovim' })
  end
  if vim.fn.executable('curl') == 1 then
    report.ok(vim.fn.systemlist({ 'curl', '--version' })[1])
  else
    report.error('curl is missing', { 'Install curl: it is required to connect to the server' })
  end
  local discover = require('toolgate.discover')
  for _, folder in ipairs(discover.folders()) do
    local stat = vim.loop.fs_stat(folder)
    if stat and bit.band(stat.mode, 63) ~= 0 then
      report.warn(folder .. ' is accessible to other users', { 'chmod 700 ' .. folder })
    end
  end
  local found, why, done
  discover.find(vim.fn.getcwd(), function(connection, reason)
    found, why, done = connection, reason, true
  end)
  vim.wait(5000, function() return done end, 20)
  if found then
    report.ok('The server of this folder is at ' .. found.url)
  else
    report.warn(why or 'no server was found in five seconds', { 'toolgate serve', 'toolgate doctor' })
  end
  local session = require('toolgate.session')
  if session.state == 'live' then
    report.ok('Receiving events')
  else
    report.warn('Not receiving events: ' .. session.state .. (session.why and ', ' .. session.why or ''),
      { ':Toolgate connect' })
  end
end

return M
