-- Whether two values are the same, through all that is in them. Compiled, Neovim's own comparison ends Neovim 0.7.2 now and then.
if jit then jit.off(vim.deep_equal, true) end

return vim.deep_equal
