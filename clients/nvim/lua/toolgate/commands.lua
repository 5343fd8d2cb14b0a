-- :Toolgate and what can be said after it.
local approvals = require('toolgate.approvals')
local beside = require('toolgate.beside')
local comments = require('toolgate.comments')
local modes = require('toolgate.modes')
local say = require('toolgate.say').say
local session = require('toolgate.session')
local scratch = require('toolgate.scratch')
local view = require('toolgate.view')
local brief = require('toolgate.words').brief
local M = {}

--- What happened lately, a line each; the oldest go.
local log, KEPT = {}, 500

local function one_line(event)
  local about = { event.tool or event.path or event.command or event.name or event.state or '',
    event.operation or event.status or event.decision or '' }
  for _, comment in ipairs(event.comments or {}) do
    table.insert(about, comments.line_of(comment))
  end
  return vim.trim(('%s  %-16s %s  %s'):format(
    (event.time or ''):sub(12, 19), event.type, table.concat(about, ' '), event.tool_call_id or ''))
end

local function shown_log() return vim.fn.bufnr('toolgate://events') end

local function append(line)
  table.insert(log, line)
  if #log > KEPT then table.remove(log, 1) end
  local buffer = shown_log()
  if buffer < 0 then return end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { line })
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local last = vim.api.nvim_buf_line_count(buffer)
    -- It follows only where the person has not gone up to read.
    if vim.api.nvim_win_get_cursor(window)[1] >= last - 1 then vim.api.nvim_win_set_cursor(window, { last, 0 }) end
  end
end

session.listen(function(event)
  if event.seq and event.type ~= 'stream.snapshot' then
    append(brief((one_line(event):gsub('%s*\n%s*', ' '))))
  end
end)

local function open_scratch(name, lines)
  local buffer = vim.fn.bufnr('toolgate://' .. name)
  if buffer < 0 then buffer = scratch.new(name) end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true })
  vim.cmd('botright 15split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.cmd('normal! G')
end

--- Says that nothing waits; where that can't be known, why, and what to do.
local function say_nothing_waits()
  if session.state == 'live' then return say('no calls waiting for approval.') end
  local why = session.why and session.why ~= '' and session.why or 'the connection was closed'
  say(session.state == 'off' and why
    or session.state == 'refused' and 'the server denies access to events: ' .. why
    or ('no server was found. Start one: toolgate serve (%s)'):format(why), vim.log.levels.WARN)
end

--- The waiting call that is meant: the one of the current window, the one named, or the only one.
local function the_call(id)
  if id then
    local call = approvals.find(id)
    if not call then say(id .. ' is not waiting for approval.', vim.log.levels.WARN) end
    return call
  end
  local here = approvals.find(vim.api.nvim_buf_get_name(0):match('toolgate://call/(.*)'))
  if here or #approvals.pending == 1 then return here or approvals.pending[1] end
  if #approvals.pending == 0 then return say_nothing_waits() end
  say('several calls are waiting: choose one with :Toolgate approvals.', vim.log.levels.WARN)
end

--- Decides on what is in the current window. What was not seen is shown first, and nothing decided.
local function decide(key)
  return function(words)
    local call = the_call(words[1])
    if not call then return end
    if not view.is_here(call) then
      view.visit(call)
      return say('this is the preview of the call; you can decide now.')
    end
    view.press(key)
  end
end

--- Tools by name, as the server lists them.
local tools = {}

local function read_tools()
  session.request({ path = '/tools' }, function(answer)
    tools = {}
    for _, tool in ipairs(answer and answer.tools or {}) do
      tools[tool.name] = tool
    end
  end)
end

session.listen(function(event)
  if event.type == 'workspaces' or event.type == 'tools.changed' then read_tools() end
end)

local function schema_of(tool)
  local about = tools[tool] or {}
  return (about.input or {}).properties or {}
end

--- name=value, read by the type that the tool's schema wants; text of no other type is taken as it is.
local function params_from(tool, words)
  local parts = {}
  for _, word in ipairs(words) do
    local name, text = word:match('^([^=]+)=(.*)$')
    assert(name, word .. ' must be name=value.')
    local kind = (schema_of(tool)[name] or {}).type
    local plain = kind == 'string' or kind == nil
    local value = not plain and pcall(vim.json.decode, text) and text or vim.json.encode(text)
    table.insert(parts, vim.json.encode(name) .. ':' .. value)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

local function result_of(call)
  if call.result then return call.result.content end
  if call.error then return call.error.code .. ': ' .. call.error.message end
  local lines = { call.status .. (call.reason and ': ' .. call.reason or '') }
  for _, comment in ipairs(call.comments or {}) do
    table.insert(lines, comments.line_of(comment))
  end
  return table.concat(lines, '\n')
end

local function show_result(call)
  open_scratch('result/' .. call.tool_call_id, vim.split(('%s: %s\n%s'):format(call.tool, call.status, result_of(call)), '\n'))
end

--- Calls of ours that wait; their results are shown once they end.
local ours = {}

session.listen(function(event)
  if event.type ~= 'tool.result' or not ours[event.tool_call_id] then return end
  ours[event.tool_call_id] = nil
  session.request({ path = '/calls/' .. event.tool_call_id }, function(call) if call then show_result(call) end end)
end)

M.verbs = {
  approvals = function()
    local waiting = beside.all()
    if #waiting == 0 then return say_nothing_waits() end
    if #waiting == 1 then return beside.visit(waiting[1]) end
    vim.ui.select(vim.list_slice(waiting, 1), {
      prompt = 'Waiting calls:',
      format_item = function(each)
        local call = approvals.find(each.call)
        local mode = call and modes.of(call) or 'ask'
        return (mode == 'ask' and '' or '[' .. mode .. '] ') .. brief(each.title)
      end,
    }, function(each) if each then beside.visit(each) end end)
  end,
  approve = decide('y'),
  reject = decide('n'),
  always = decide('a'),
  edit = decide('e'),
  compare = decide('d'),
  mode = function(words)
    local here = approvals.find(vim.api.nvim_buf_get_name(0):match('toolgate://call/(.*)')) or approvals.pending[1]
    if here then return modes.choose(here, words[1]) end
    modes.choose_latest(words[1])
  end,
  changes = function(words) require('toolgate.changes').open(words[1]) end,
  events = function() open_scratch('events', log) end,
  call = function(words)
    local tool = table.remove(words, 1)
    if not tool then return say('which tool? :Toolgate call TOOL name=value …', vim.log.levels.ERROR) end
    local ok, params = pcall(params_from, tool, words)
    if not ok then return say((params:gsub('^.-:%d+: ', '')), vim.log.levels.ERROR) end
    local body = ('{"tool":%s,"params":%s,"session_id":"neovim"}'):format(vim.json.encode(tool), params)
    session.post('/calls', body, function(call, failure)
      if failure then return say(failure.message, vim.log.levels.ERROR) end
      if call.status == 'awaiting_approval' or call.status == 'queued' or call.status == 'running' then
        ours[call.tool_call_id] = true
      else
        show_result(call)
      end
    end)
  end,
  connect = function() require('toolgate').connect() end,
  disconnect = function() session.disconnect() end,
  status = function()
    local where = session.connection and session.connection.url or session.why or ''
    say(('%s %s, %d waiting'):format(session.state, where, #approvals.pending))
  end,
}

function M.run(words)
  local verb = table.remove(words, 1) or 'approvals'
  if not M.verbs[verb] then
    local known = vim.tbl_keys(M.verbs)
    table.sort(known)
    return say(('%s is not a command; available: %s.'):format(verb, table.concat(known, ', ')), vim.log.levels.ERROR)
  end
  if verb == 'connect' or verb == 'disconnect' then return M.verbs[verb]() end
  if not session.following then require('toolgate').connect() end
  session.once_known(function() M.verbs[verb](words) end)
end

--- What may stand where the cursor is.
function M.complete(lead, line)
  local words = vim.split(vim.trim(line:gsub('^.-Toolgate!?%s*', '')), '%s+')
  local at = lead == '' and words[1] ~= '' and #words + 1 or #words
  local choices = {}
  if at <= 1 then
    choices = vim.tbl_keys(M.verbs)
  elseif words[1] == 'call' then
    choices = at == 2 and vim.tbl_keys(tools)
      or vim.tbl_map(function(name) return name .. '=' end, vim.tbl_keys(schema_of(words[2])))
  elseif words[1] == 'mode' then
    choices = at == 2 and vim.list_slice(modes.CHOICES) or {}
  elseif M.verbs[words[1]] and vim.tbl_contains({ 'approve', 'reject', 'always', 'edit', 'compare' }, words[1]) then
    choices = vim.tbl_map(function(call) return call.tool_call_id end, approvals.pending)
  end
  table.sort(choices)
  return vim.tbl_filter(function(choice) return vim.startswith(choice, lead) end, choices)
end

return M
