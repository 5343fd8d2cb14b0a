-- Asks for a line of text.
local M = {}

--- No text that can be typed in one line.
local CANCELLED = '\n'
-- Neovim 0.9 and later give an empty text as it is; earlier ones give nil.
local GIVES_EMPTY = vim.fn.has('nvim-0.9') == 1

--- Passes on the text, which may be empty; nil if the prompt was cancelled.
function M.ask(options, done)
  vim.ui.input(vim.tbl_extend('error', options, { cancelreturn = CANCELLED }), function(text)
    if text == CANCELLED or (not text and GIVES_EMPTY) then return done(nil) end
    done(text or '')
  end)
end

return M
