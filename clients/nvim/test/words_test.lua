local words = require('toolgate.words')

local function same(actual, expected)
  assert(vim.deep_equal(actual, expected), vim.inspect(actual) .. '\nis not\n' .. vim.inspect(expected))
end

local call = {
  tool_call_id = 'tc_1', tool = 'edit_file', session_id = 's', client = 'curl', agent = 'coder',
  params = { path = 'a.txt', text = ('x\n'):rep(20) .. 'y' },
  approval = {
    level = 'strict', reason = 'It changes files.', digest = 'd', expires_at = vim.NIL,
    matched_rules = { { tier = 'user', effect = 'ask', reason = 'mine' } },
    preview = { title = 'Edit a.txt', notes = { 'An editor holds it.' }, diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n' },
  },
}

return {
  ['every byte of a call is shown, what is long folded'] = function()
    local lines, marks, folds = words.of_call(call)
    same(vim.list_slice(lines, 1, 12), {
      'edit_file: Edit a.txt',
      'y approve  n reject  a always  r reject, why  e edit  d compare  ? help  q away',
      'It changes files.  STRICT', '! An editor holds it.', '',
      '--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-a', '+b', '', 'Parameters',
    })
    same(vim.list_slice(lines, #lines - 1), {
      'agent coder · session s · client curl · tc_1', 'asked by: user rule, ask: mine' })
    same(#vim.tbl_filter(function(line) return line == '    x' end, lines), 20)
    same(folds, { { 15, 35 } })
    local groups = {}
    for _, mark in ipairs(marks) do
      groups[mark[1]] = mark[2]
    end
    same({ groups[6], groups[9], groups[10] }, { 'ToolgateMuted', 'ToolgateRemoved', 'ToolgateAdded' })
  end,

  ['a deadline is told by the clock on the wall'] = function()
    local function at(seconds)
      local time = os.time() + seconds
      return words.deadline({ approval = { expires_at = os.date('!%Y-%m-%dT%H:%M:%S.123Z', time) } }), time
    end
    local told, time = at(600)
    same(told, 'until ' .. os.date('%H:%M', time))
    told, time = at(24 * 3600)
    same(told, 'until ' .. os.date('%a %H:%M', time))
    same(words.deadline(call), nil)
  end,

  ['JSON for people comes back as it was'] = function()
    local value = { a = {}, b = vim.empty_dict(), c = vim.NIL, n = 1234567890123456, f = 0.1, s = 'é"/\n', l = { 1, { x = true } } }
    local text = words.json(value)
    assert(text:find('"n": 1234567890123456', 1, true), text)
    local back = vim.json.decode(text)
    same(words.json(back), text)
  end,
}
