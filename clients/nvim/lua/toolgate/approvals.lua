-- What waits for a decision, kept by events and nothing else: a call opens one or renews it, a decision or a result closes
-- it, whoever decided, and a snapshot says which are open.
local session = require('toolgate.session')
local M = {
  --- Calls that wait, oldest first.
  pending = {},
}

--- Callbacks of the view: `opened(call)`, `renewed(call)`, `completed(call)`, `overtaken(call)`, `settled(call, how, mine)`.
M.on = {}

function M.find(id)
  for index, call in ipairs(M.pending) do
    if call.tool_call_id == id then return call, index end
  end
end

local function changed()
  vim.cmd('redrawstatus!')
end

local function open(call)
  local known, index = M.find(call.tool_call_id)
  if known and known.approval.digest == call.approval.digest then return end
  call.delegation = known and known.delegation
  if known then
    M.pending[index] = call
    M.on.renewed(call)
  else
    table.insert(M.pending, call)
    M.on.opened(call)
    vim.cmd('silent! doautocmd <nomodeline> User ToolgatePending')
  end
  changed()
end

--- The call waits no more.
function M.settle(id, how, mine)
  local call, index = M.find(id)
  if not call then return end
  -- The event may come before the answer, and only the answer tells whether it was this decision that counted.
  if call.deciding and not mine then
    call.ended = how
    return
  end
  table.remove(M.pending, index)
  M.on.settled(call, how, mine)
  vim.cmd('silent! doautocmd <nomodeline> User ToolgateSettled')
  changed()
end

--- Exactly these wait. Of large ones a list has only the beginning of their parameters.
local function take(calls)
  local waits = {}
  for _, call in ipairs(calls) do
    waits[call.tool_call_id] = true
    if call.truncated then M.read(call.tool_call_id) else open(call) end
  end
  for _, call in ipairs(vim.deepcopy(M.pending)) do
    if not waits[call.tool_call_id] then M.settle(call.tool_call_id, 'was decided elsewhere') end
  end
end

--- Asks for the call as it is now, and takes it if it waits.
function M.read(id)
  session.request({ path = '/calls/' .. id }, function(call)
    if call and call.status == 'awaiting_approval' then open(call) end
  end)
end

--- Reads the pages of what waits that follow on these calls, and takes them all.
local function read_pages(calls, cursor)
  if type(cursor) ~= 'string' then return take(calls) end
  session.request({ path = '/approvals?cursor=' .. cursor }, function(page)
    if page then read_pages(vim.list_extend(calls, page.approvals), page.cursor) end
  end)
end

--- Asks for all of a diff of which the call has only a part, and shows it instead.
function M.load_whole(call)
  local preview = call.approval.preview
  if not preview.cut or not preview.diff or call.is_loading then return end
  call.is_loading = true
  local path = ('/calls/%s/preview?digest=%s'):format(call.tool_call_id, call.approval.digest)
  session.request({ path = path }, function(whole)
    if not whole or M.find(call.tool_call_id) ~= call then return end
    call.approval.preview, call.approval.whole_digest = whole.preview, whole.whole_digest
    M.on.completed(call)
  end)
end

local function read_state()
  session.request({ path = '/state' }, function(state)
    if state then read_pages(state.pending, state.pending_cursor) end
  end)
end

--- What has become of a call, by itself or by the event that it ended.
function M.became(ended)
  if ended.status == 'success' then return 'done' end
  local why = type(ended.error) == 'table' and ended.error.message or ended.reason
  local word = ended.status == 'error' and 'failed' or ended.status or 'ended'
  return type(why) == 'string' and ('%s: %s'):format(word, why) or word
end

--- Whether the call was shown with what it would do to this file.
local function is_about(call, file)
  for _, each in ipairs(call.approval.files or {}) do
    if each.path == file or each.to == file then return true end
  end
  return type(call.params) == 'table' and call.params.path == file
end

--- A file has changed: a call that is about it may do something else by now than was shown. What others than tools change is
--- told up to a second late, so the server may have shown it already.
local function overtake(workspace, file)
  for _, call in ipairs(M.pending) do
    if call.workspace == workspace and call.overtaken ~= file and is_about(call, file) then
      call.overtaken = file
      M.on.overtaken(call)
    end
  end
end

--- What happened up to here is in the snapshot already.
local head = 0

local hear = {
  ['stream.snapshot'] = function(event)
    head = event.head
    if event.truncated then read_state() else take(event.pending) end
  end,
  ['stream.gap'] = read_state,
  ['tool.call'] = function(event)
    if event.seq <= head then return end
    if not event.truncated then return event.requires_approval and open(event) end
    M.read(event.tool_call_id)
  end,
  ['tool.decision'] = function(event)
    local by = type(event.by) == 'table' and event.by.client
    M.settle(event.tool_call_id, (event.decision or 'decided') .. (by and (' by ' .. by) or ''))
  end,
  ['file.changed'] = function(event)
    if event.seq <= head then return end
    overtake(event.workspace, event.path)
    if event.from then overtake(event.workspace, event.from) end
  end,
  ['tool.result'] = function(event) M.settle(event.tool_call_id, M.became(event)) end,
}

session.listen(function(event)
  if hear[event.type] then hear[event.type](event) end
end)

return M
