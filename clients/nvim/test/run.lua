-- Runs the test files beside it: nvim --headless -u NONE -l is not there before 0.9, so: -c 'luafile clients/nvim/test/run.lua'.
-- Each file gives its tests by name; one that throws has failed. Prints a line each, and ends with 1 where one failed.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.opt.runtimepath:prepend(vim.fn.fnamemodify(here, ':h'))
local failed = false
local out = {}

for _, file in ipairs(vim.fn.sort(vim.fn.glob(here .. '/*_test.lua', false, true))) do
  local tests = dofile(file)
  for _, name in ipairs(vim.fn.sort(vim.tbl_keys(tests))) do
    local ok, why = xpcall(tests[name], debug.traceback)
    failed = failed or not ok
    table.insert(out, (ok and 'ok ' or 'not ok ') .. name .. (ok and '' or '\n' .. why))
  end
end
io.stdout:write(table.concat(out, '\n') .. '\n')
vim.cmd(failed and 'cquit' or 'qall!')
