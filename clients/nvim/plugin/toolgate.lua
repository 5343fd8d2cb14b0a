if vim.g.loaded_toolgate then return end
vim.g.loaded_toolgate = true

vim.api.nvim_create_user_command('Toolgate', function(given)
  require('toolgate.commands').run(vim.deepcopy(given.fargs))
end, {
  nargs = '*',
  desc = 'Decide on the calls of agents, and call tools',
  complete = function(lead, line) return require('toolgate.commands').complete(lead, line) end,
})
