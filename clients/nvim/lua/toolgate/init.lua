-- Toolgate for Neovim: shows what waits for a decision and lets you decide, keeps buffers true to the disk, and tells the
-- server what is not saved. :help toolgate tells how it is used.
local session = require('toolgate.session')
local approvals = require('toolgate.approvals')
local beside = require('toolgate.beside')
local M = {}

M.defaults = {
  --- Connect when Neovim starts, and whenever a server of the project appears.
  connect = true,
  --- A folder of the project; the current one when this is nil.
  root = nil,
  --- Where what waits is shown by itself, once nobody types: "split", "float" or "none".
  view = 'split',
  --- Read buffers again when a tool, or anybody, has changed their file. Never one with unsaved changes.
  reload = true,
}

local options = M.defaults

local function check(given)
  vim.validate({
    connect = { given.connect, 'boolean', true },
    root = { given.root, 'string', true },
    reload = { given.reload, 'boolean', true },
    view = { given.view, function(value) return value == nil or vim.tbl_contains({ 'split', 'float', 'none' }, value) end,
      '"split", "float" or "none"' },
  })
  for name in pairs(given) do
    if M.defaults[name] == nil and name ~= 'root' then
      error(('toolgate.setup: there is no option %s. The options are connect, root, view and reload'):format(name), 0)
    end
  end
end

local is_set_up = false

--- Takes the options over, and connects. Without it, the first :Toolgate does so with the defaults.
function M.setup(given)
  check(given or {})
  options = vim.tbl_extend('force', M.defaults, given or {})
  require('toolgate.scratch').setup()
  beside.setup(options.view)
  require('toolgate.files').setup(options.reload)
  -- Hears events from the beginning.
  require('toolgate.commands')
  local group = vim.api.nvim_create_augroup('toolgate', { clear = true })
  vim.api.nvim_create_autocmd('DirChanged', { group = group, callback = function() if not options.root then M.connect() end end })
  vim.api.nvim_create_autocmd('FocusGained', { group = group, callback = function()
    if session.following and session.state ~= 'live' then session.following.connect() end
  end })
  is_set_up = true
  if options.connect then M.connect() end
end

--- Follows the server of the project, now and whenever there is one.
function M.connect()
  if not is_set_up then return M.setup() end
  session.connect(options.root or vim.fn.getcwd(), require('toolgate.effects').names())
end

function M.disconnect()
  session.disconnect()
end

--- For a status line: nothing where there is no server, how many wait for a decision, modes of sessions other than `ask`,
--- whether the connection is lost.
function M.status()
  if session.state == 'live' then
    local mode = require('toolgate.modes').brief()
    return (#beside.all() > 0 and ('toolgate:%d'):format(#beside.all()) or 'toolgate') .. (mode ~= '' and ' ' .. mode or '')
  end
  return session.state == 'lost' and 'toolgate:lost' or session.state == 'refused' and 'toolgate:refused' or ''
end

--- What waits, for scripts: {id, tool, title} each, oldest first.
function M.pending()
  return vim.tbl_map(function(call)
    return { id = call.tool_call_id, tool = call.tool, title = call.approval.preview.title }
  end, approvals.pending)
end

return M
