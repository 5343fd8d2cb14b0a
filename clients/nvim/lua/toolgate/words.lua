-- A call that waits, as lines for a person, each line with the highlight that it has. Nothing that an agent wrote looks like
-- a line of ours: it stands on one line of its own, behind a bar or indented.
local hidden = require('toolgate.hidden')
local ordered = require('toolgate.ordered')
local M = {}

-- Neovim 0.10 has renamed it.
local is_list = vim.islist or vim.tbl_islist

local RED, GREEN, QUIET = 'ToolgateRemoved', 'ToolgateAdded', 'ToolgateMuted'
--- Longer values that the diff shows as well are folded: one key away, never cut.
local FOLD_OVER = 8
--- Longer lines are continued on another: one that is longer than its window could not be displayed whole.
local MAX_LINE_BYTES = 200

--- Parameters that hold texts of files, which the diff shows where there is one.
local REPEATING = { old = true, new = true, old_string = true, new_string = true, old_str = true, new_str = true,
  content = true, contents = true, file_text = true, edits = true, patch = true }

local function is_dict(value)
  return getmetatable(value) == getmetatable(vim.empty_dict()) or not is_list(value)
end

local function scalar(value)
  if type(value) ~= 'number' then return hidden.in_json(vim.json.encode(value)) end
  if value == math.floor(value) and math.abs(value) < 2 ^ 53 then return ('%.0f'):format(value) end
  -- The shortest that is read as the same number: 1.1, and not 1.1000000000000001.
  for digits = 15, 16 do
    local short = ('%.' .. digits .. 'g'):format(value)
    if tonumber(short) == value then return short end
  end
  return ('%.17g'):format(value)
end

--- JSON to be read and edited by a person: keys in the order in which they came, a line each.
function M.json(value, indent)
  indent = indent or ''
  if type(value) ~= 'table' then return (scalar(value):gsub('\\/', '/')) end
  local dict, parts = is_dict(value), {}
  for _, key in ipairs(dict and ordered.names(value) or {}) do
    table.insert(parts, ('%s  %s: %s'):format(indent, M.json(key), M.json(value[key], indent .. '  ')))
  end
  for _, item in ipairs(dict and {} or value) do
    table.insert(parts, indent .. '  ' .. M.json(item, indent .. '  '))
  end
  local open, close = dict and '{' or '[', dict and '}' or ']'
  if #parts == 0 then return open .. close end
  return open .. '\n' .. table.concat(parts, ',\n') .. '\n' .. indent .. close
end

--- The rules that an option would remember, word by word.
function M.rules_of(option)
  local rules = option.rules or { option.rule }
  return table.concat(vim.tbl_map(function(rule)
    return rule.effect .. ' ' .. (M.json(rule.match):gsub('\n%s*', ' '))
  end, rules), '; ')
end

--- A text as a part of a line: nothing in it is hidden, nor begins another line.
function M.brief(text)
  return (hidden.shown((text:gsub('\n', '␊'))))
end

--- A text in parts that are short enough for a line, none of which ends within a character.
local function parts_of(text)
  local parts, first = {}, 1
  repeat
    local last = math.min(first + MAX_LINE_BYTES - 1, #text)
    local is_within = function() return (text:byte(last + 1) or 0) >= 128 and (text:byte(last + 1) or 0) < 192 end
    for _ = 1, 3 do
      if is_within() then last = last - 1 end
    end
    table.insert(parts, text:sub(first, last))
    first = last + 1
  until first > #text
  return parts
end

--- A function that adds a line to lines, and the colour it has to marks. What it hides is written out, in a colour of its own.
--- It gives the numbers of the first and of the last line that it has added.
local function into(lines, marks)
  return function(text, group)
    local first = #lines + 1
    for index, part in ipairs(parts_of((text:gsub('\n', '␊')))) do
      local line, places = hidden.shown(index > 1 and '↪ ' .. part or part)
      table.insert(lines, line)
      if group then table.insert(marks, { #lines, group }) end
      for _, place in ipairs(places) do
        table.insert(marks, { #lines, 'ToolgateWarning', place[1], place[2] })
      end
    end
    return first, #lines
  end
end

--- Adds a text of many lines, behind a bar.
local function quote(add, text, group)
  for _, line in ipairs(vim.split(text, '\n')) do
    add('│ ' .. line, group)
  end
end

--- Where a hunk begins in the text before and in the one after, and how many lines it has of each.
local function hunk_of(header)
  local old, before, new, after = header:match('^@@ %-(%d+)(,?%d*) %+(%d+)(,?%d*) @@')
  local function count(text) return text == '' and 1 or tonumber(text:sub(2)) end
  if old then return { old = tonumber(old), new = tonumber(new), before = count(before), after = count(after) } end
end

local ESCAPED = { n = '\n', t = '\t', r = '\r', a = '\a', b = '\b', f = '\f', v = '\v' }

--- The path that a line such as `+++ b/poem.txt` names, which git may have quoted; nil where there is no file.
local function path_in(name)
  if name:match('^".*"$') then
    name = name:sub(2, -2):gsub('\\(%d%d%d)', function(octal) return string.char(tonumber(octal, 8) % 256) end)
      :gsub('\\(.)', function(letter) return ESCAPED[letter] or letter end)
  end
  return name:match('^[ab]/(.-)\t?$')
end

--- What a line is begins with its first character, and where it stands: only what a hunk counts is of the texts.
local IN_HUNK = {
  ['+'] = { GREEN, 0, 1 }, ['-'] = { RED, 1, 0 }, [' '] = { nil, 1, 1 }, [''] = { nil, 1, 1 }, ['\\'] = { QUIET, 0, 0 },
}

--- Adds a diff. Gives the lines of the files that it shows, by number of the added line: {path, side, line}.
local function add_diff(add, diff)
  local at, files, targets = { before = 0, after = 0 }, {}, {}
  for _, line in ipairs(vim.split(diff:gsub('\n$', ''), '\n')) do
    local kind = (at.before > 0 or at.after > 0) and IN_HUNK[line:sub(1, 1)]
    if kind then
      local first, last = add(line, kind[1])
      local side = kind[3] == 1 and 'new' or kind[2] == 1 and 'old'
      for added = side and files.path and first or 1, side and files.path and last or 0 do
        targets[added] = { path = files.path, side = side, line = at[side] }
      end
      at.before, at.old = at.before - kind[2], at.old + kind[2]
      at.after, at.new = at.after - kind[3], at.new + kind[3]
    else
      local hunk = hunk_of(line)
      at = hunk or { before = 0, after = 0 }
      if line:match('^%-%-%- ') then files.path = path_in(line:sub(5)) end
      if line:match('^%+%+%+ ') then files.path = path_in(line:sub(5)) or files.path end
      add(line, hunk and 'ToolgateHunk' or QUIET)
    end
  end
  return targets
end

local HIDES = '! Contains invisible characters, shown as \\u{…}.'

local WITHHELD = {
  not_to_be_shown = 'Reading requires approval.',
  not_text = 'The content is not text.',
  too_large = 'The content is too large to be compared.',
  purged = 'The content of a call was purged.',
  not_stored = 'The content is not stored.',
}

local function add_changed_file(add, file, calls)
  local lines = file.added and (' +%d -%d'):format(file.added, file.removed) or ''
  add(('%s %s%s%s'):format(file.operation, file.from and file.from .. ' → ' or '', file.path, lines), 'ToolgateTitle')
  for _, id in ipairs(file.calls) do
    local call = calls[id]
    add('  ' .. (call and ('%s by %s, %s  '):format(call.tool, call.agent or call.client, call.finished_at) or '') .. id, QUIET)
  end
  if file.changed_between then add('! Others changed the file between the calls. The diff contains that.', 'ToolgateWarning') end
  if file.changed_since then add('! The file was changed after the last call. The diff does not show that.', 'ToolgateWarning') end
  if file.withheld then add('! ' .. (WITHHELD[file.withheld] or file.withheld), 'ToolgateWarning') end
  if file.diff and file.diff ~= '' then add_diff(add, file.diff) end
  add('')
end

--- The lines about the changes of a session, and their colours.
function M.of_changes(found)
  local lines, marks, calls = {}, {}, {}
  local add = into(lines, marks)
  for _, call in ipairs(found.calls) do
    calls[call.tool_call_id] = call
  end
  if found.truncated then add('! Only the changes of the newest calls are shown.', 'ToolgateWarning') end
  for _, file in ipairs(found.files) do
    add_changed_file(add, file, calls)
  end
  add('undo all  toolgate undo ' .. found.first_call .. ' --since', QUIET)
  add('undo one  toolgate undo ID', QUIET)
  return lines, marks
end

--- A time of the server, in seconds since 1970.
function M.time_of(at)
  local utc = vim.fn.strptime('%Y-%m-%dT%H:%M:%S', at:sub(1, 19))
  return utc + os.time(os.date('*t', utc)) - os.time(os.date('!*t', utc))
end

--- Until when a call waits, by the clock on the wall; nil where it waits for ever.
function M.deadline(call)
  local at = call.approval.expires_at
  if type(at) ~= 'string' then return end
  local time = M.time_of(at)
  local is_far = time - os.time() > 12 * 3600
  return 'until ' .. os.date(is_far and '%a %H:%M' or '%H:%M', time)
end

--- The lines of a text that is proposed for a file, and the highlights {line, group}.
function M.of_proposal(params)
  local lines, marks = {}, {}
  local add = into(lines, marks)
  add(('Proposed for %s%s'):format(params.path, params.before and '' or ', a new file'), 'ToolgateTitle')
  add('y accept  n reject  r reject with reason  e edit, side by side  ? help  q close', QUIET)
  add('Accepting does not save the file: the accepted text is sent to the agent.')
  if hidden.is_in(params) then add(HIDES, 'ToolgateWarning') end
  add('')
  add_diff(add, params.diff)
  return lines, marks, {}
end

--- Adds a parameter; of a value of many lines `folds` gets the {first, last} where it is given.
local function add_param(add, lines, name, value, folds)
  local shown = vim.split(type(value) == 'string' and value or M.json(value), '\n')
  if #shown == 1 then return add(('  %s  %s'):format(name, shown[1])) end
  add('  ' .. name)
  local first = #lines + 1
  for _, line in ipairs(shown) do
    add('    ' .. line)
  end
  if folds and #shown > FOLD_OVER then table.insert(folds, { first, #lines }) end
end

--- Adds who asks, and until when.
local function add_origin(add, call)
  local from = { 'session ' .. call.session_id, 'client ' .. (call.client or '?') }
  if type(call.agent) == 'string' then table.insert(from, 1, 'agent ' .. call.agent) end
  from[#from + 1] = M.deadline(call)
  add(table.concat(from, ' · '), QUIET)
  if type(call.context) == 'string' then quote(add, call.context, QUIET) end
end

--- The lines of a call, the highlights {line, group}, the folds {first, last}, the last line that a decision needs, and the
--- lines of files that can be commented on, by number of the line: {path, side, line}.
function M.of_call(call)
  local lines, marks, folds = {}, {}, {}
  local add = into(lines, marks)
  local approval, preview = call.approval, call.approval.preview
  add(call.tool .. ': ' .. preview.title, 'ToolgateTitle')
  add(call.changed and 'y approve as edited  n reject  r reject with reason  e edit  u restore  ? help  q close'
    or 'y approve  n reject  a always  r reject with reason  e edit  d compare  ? help  q close', QUIET)
  add('Reason: ' .. approval.reason .. (approval.level == 'strict' and '  STRICT' or ''),
    approval.level == 'strict' and 'ToolgateWarning' or nil)
  add_origin(add, call)
  if call.overtaken then
    add(('! %s has changed since: if the effect differs, y only shows the new preview.'):format(call.overtaken), 'ToolgateWarning')
  end
  for _, note in ipairs(preview.notes or {}) do
    add('! ' .. note, 'ToolgateWarning')
  end
  for _, fact in ipairs(preview.information or {}) do
    add('- ' .. fact, QUIET)
  end
  if hidden.is_in(call) then add(HIDES, 'ToolgateWarning') end
  if preview.text then
    add('')
    quote(add, preview.text)
  end
  local has_diff = preview.diff and preview.diff ~= ''
  local targets = {}
  if has_diff then
    add('')
    targets = add_diff(add, preview.diff)
  end
  add('')
  add(call.changed and 'Parameters, edited by you' or 'Parameters', 'ToolgateTitle')
  local repeated = {}
  for _, name in ipairs(type(call.params) == 'table' and ordered.names(call.params) or {}) do
    if has_diff and REPEATING[name] then
      table.insert(repeated, name)
    else
      add_param(add, lines, name, call.params[name])
    end
  end
  local last = #lines
  if #repeated > 0 then
    add('')
    add('Also in the diff', 'ToolgateTitle')
  end
  for _, name in ipairs(repeated) do
    add_param(add, lines, name, call.params[name], folds)
  end
  add('')
  add(call.tool_call_id, QUIET)
  for _, rule in ipairs(approval.matched_rules or {}) do
    add(('rule: %s, %s: %s'):format(rule.tier, rule.effect, rule.reason), QUIET)
  end
  return lines, marks, folds, last, targets
end

--- How many lines of the output are shown.
local MAX_OUTPUT_LINES = 20

--- The lines of the outcome of a call, and the highlights.
function M.of_outcome(call)
  local lines, marks = {}, {}
  local add = into(lines, marks)
  local result = type(call.result) == 'table' and call.result or {}
  local preview = type(call.approval) == 'table' and call.approval.preview or {}
  -- The call of an event has no status.
  local status = call.status ~= 'awaiting_approval' and call.status or 'approved'
  add(call.tool .. ': ' .. (preview.title or result.title or ''), 'ToolgateTitle')
  add('Space next waiting call  q close', QUIET)
  add('status  ' .. status, status ~= 'success' and 'ToolgateWarning' or nil)
  local exit_code = type(result.data) == 'table' and result.data.exit_code
  if type(exit_code) == 'number' then add(('exit code  %d'):format(exit_code)) end
  if type(call.error) == 'table' then quote(add, call.error.message, 'ToolgateWarning') end
  for _, change in ipairs(call.changes or {}) do
    add(('%s  %s'):format(change.operation, change.path))
  end
  if #(call.changes or {}) > 0 then add('undo  toolgate undo ' .. call.tool_call_id, QUIET) end
  local output = vim.split(vim.trim(result.content or ''), '\n')
  if #output == 1 and output[1] == '' then return lines, marks end
  add('')
  quote(add, table.concat(vim.list_slice(output, 1, MAX_OUTPUT_LINES), '\n'))
  if #output > MAX_OUTPUT_LINES then
    add(('… %d more lines: toolgate show %s'):format(#output - MAX_OUTPUT_LINES, call.tool_call_id), QUIET)
  end
  return lines, marks
end

M.HELP = {
  'y      approve what is shown; a strict call asks for confirmation',
  'n      reject',
  'r      reject with a reason, which is sent to the caller',
  'c      comment on the line of the diff; n and r send the comments',
  'a      approve, and save a rule that you choose',
  'e      edit the parameters, and see the new preview here',
  'u      restore the original parameters',
  'd      compare the whole texts before and after, side by side',
  'm      set the mode of the session: which of its calls run without approval',
  'Space  show the next part that was not displayed; y requires all parts',
  ']] [[  next and previous waiting call',
  'q      close; the call continues to wait',
  '',
  'For half a second after this is shown, changes or gets the focus,',
  'keys that decide are ignored.',
}

M.HELP_WITH_PROPOSAL = {
  'y      accept the proposal',
  'n      reject',
  'r      reject with a reason, which is sent to the caller',
  'e, d   open both texts side by side in a tab, and edit the proposed one: there',
  '       <C-c><C-c> accepts it, <C-c><C-k> returns',
  'Space  show the next part that was not displayed; y requires all parts',
  ']] [[  next and previous proposal or call',
  'q      close without a decision',
  '',
  'For half a second after this is shown, changes or gets the focus,',
  'keys that decide are ignored.',
}

return M
