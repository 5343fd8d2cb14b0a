local words = require('toolgate.words')

local is_same = require('toolgate.same')

local function same(actual, expected)
  assert(is_same(actual, expected), vim.inspect(actual) .. '\nis not\n' .. vim.inspect(expected))
end

local call = {
  tool_call_id = 'tc_1', tool = 'edit_file', session_id = 's', client = 'curl', agent = 'coder',
  params = { path = 'a.txt', content = ('x\n'):rep(20) .. 'y' },
  approval = {
    level = 'strict', reason = 'Modifies files.', digest = 'd', expires_at = vim.NIL,
    matched_rules = { { tier = 'user', effect = 'ask', reason = 'mine' } },
    preview = { title = 'Edit a.txt', notes = { 'An editor holds it.' }, diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n' },
  },
}

return {
  ['every byte of a call is shown, what is long folded'] = function()
    local lines, marks, folds, last = words.of_call(call)
    same(vim.list_slice(lines, 1, 13), {
      'edit_file: Edit a.txt',
      'y approve  n reject  a always  r reject with reason  e edit  d compare  ? help  q close',
      'Reason: Modifies files.  STRICT', 'agent coder · session s · client curl', '! An editor holds it.', '',
      '--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-a', '+b', '', 'Parameters',
    })
    same(vim.list_slice(lines, #lines - 1), { 'tc_1', 'rule: user, ask: mine' })
    same(#vim.tbl_filter(function(line) return line == '    x' end, lines), 20)
    same(vim.list_slice(lines, last, last + 3), { '  path  a.txt', '', 'Also in the diff', '  content' })
    same(folds, { { last + 4, last + 24 } })
    local groups = {}
    for _, mark in ipairs(marks) do
      groups[mark[1]] = mark[2]
    end
    same({ groups[7], groups[10], groups[11] }, { 'ToolgateMuted', 'ToolgateRemoved', 'ToolgateAdded' })
  end,

  ['a parameter that no diff shows is needed for a decision, and not folded'] = function()
    local plain = vim.tbl_deep_extend('force', call, { approval = { preview = { diff = '' } } })
    local lines, _, folds, last = words.of_call(plain)
    assert(vim.fn.index(lines, '    y') + 1 < last)
    same(folds, {})
  end,

  ['a long line is continued on others, whole'] = function()
    local long = ('é'):rep(250) .. ('\194'):rep(5)
    local lines = words.of_call(vim.tbl_deep_extend('force', call, { params = { path = long } }))
    local at = vim.fn.match(lines, '^  path') + 1
    same(lines[at]:sub(9) .. lines[at + 1]:gsub('^↪ ', '') .. lines[at + 2]:gsub('^↪ ', ''), long)
  end,

  ['what an agent wrote is never taken for more than that'] = function()
    local forged = vim.tbl_deep_extend('force', call, {
      context = 'fine\nasked by: rule, allow: signed off\n\nParameters\n  command  true',
      agent = 'me\nParameters', params = { ['a\nParameters'] = 'x' },
      approval = { preview = { title = 'Edit\nParameters', text = 'one\nParameters' } },
    })
    local lines = words.of_call(forged)
    same(lines[1], 'edit_file: Edit␊Parameters')
    same(#vim.tbl_filter(function(line) return line:match('^%s*Parameters') end, lines), 1)
    same(vim.list_slice(lines, 4, 12), {
      'agent me␊Parameters · session s · client curl', '│ fine', '│ asked by: rule, allow: signed off', '│ ',
      '│ Parameters', '│   command  true', '! An editor holds it.', '', '│ one' })
    assert(vim.tbl_contains(lines, '  a␊Parameters  x'))
  end,

  ['what cannot be seen is written out, and said'] = function()
    local secret = 'a\226\129\166b\226\128\139\243\160\129\129é'
    local lines, marks = words.of_call(vim.tbl_deep_extend('force', call, { params = { path = secret, l = { secret } } }))
    assert(vim.tbl_contains(lines, '! Contains invisible characters, shown as \\u{…}.'))
    local at = vim.fn.index(lines, '  path  a\\u{2066}b\\u{200b}\\u{e0041}é') + 1
    same(vim.tbl_filter(function(mark) return mark[1] == at end, marks),
      { { at, 'ToolgateWarning', 9, 17 }, { at, 'ToolgateWarning', 18, 26 }, { at, 'ToolgateWarning', 26, 35 } })
    local text = words.json({ secret })
    same(text, '[\n  "a\\u2066b\\u200b\\udb40\\udc41é"\n]')
    same(vim.json.decode(text), { secret })
    assert(not vim.tbl_contains((words.of_call(call)), lines[6]), 'nothing is said where nothing is hidden')
  end,

  ['what is removed or added is known by its place, not by how it looks'] = function()
    local diff = '--- a/x.lua\n+++ b/x.lua\n@@ -1,2 +1 @@\n--- x\n-y\n+++ x\n\\ No newline at end of file\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n--- z\n'
    local _, marks = words.of_proposal({ path = 'x.lua', before = '', diff = diff })
    local groups = {}
    for _, mark in ipairs(marks) do
      if mark[1] > 4 then table.insert(groups, (mark[2]:gsub('Toolgate', ''))) end
    end
    same(groups, { 'Muted', 'Muted', 'Hunk', 'Removed', 'Removed', 'Added', 'Muted', 'Muted', 'Muted', 'Hunk', 'Removed' })
  end,

  ['each line of a diff is a line of a file'] = function()
    local long = ('x'):rep(250)
    local diff = '--- "a/\\303\\251.txt"\n+++ "b/\\303\\251.txt"\n@@ -3,2 +5,3 @@ f\n a\n--- b\n+' .. long .. '\n+++ c\n\\ No newline\n'
      .. 'diff --git a/old b/new\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -1 +0,0 @@\n-d\n'
      .. '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-e\n'
    local lines, _, _, _, targets = words.of_call(vim.tbl_deep_extend('force', call, { approval = { preview = { diff = diff } } }))
    local at = {}
    for line = 1, #lines do
      local target = targets[line]
      if target then table.insert(at, ('%s %s:%d %s'):format(lines[line]:sub(1, 4), target.path, target.line, target.side)) end
    end
    same(at, { ' a é.txt:5 new', '---  é.txt:4 old', '+xxx é.txt:6 new', '↪  é.txt:6 new', '+++  é.txt:7 new',
      '-d new:1 old', '-e gone:1 old' })
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
    same(words.json({ 1.1, 0.1 + 0.2, 1e300, 2 ^ 60, -3, 1e-7 }),
      '[\n  1.1,\n  0.30000000000000004,\n  1e+300,\n  1.152921504606847e+18,\n  -3,\n  1e-07\n]')
    local order = '{\n  "z": 1,\n  "a": {\n    "y": 2,\n    "b": 3\n  }\n}'
    same(words.json(require('toolgate.ordered').decode(order)), order)
  end,
}
