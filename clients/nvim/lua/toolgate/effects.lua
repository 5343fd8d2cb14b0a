-- What the server may ask this editor to do for a call, and how it is answered. Nothing here takes the focus.
local approvals = require('toolgate.approvals')
local files = require('toolgate.files')
local session = require('toolgate.session')
local M = {}

--- The byte column, from 0, of a column counted in characters from 1.
local function byte_column(line, column)
  local at = vim.fn.byteidx(line, math.max(column, 1) - 1)
  return at < 0 and #line or at
end

local SEVERITY = { 'error', 'warning', 'information', 'hint' }

local function character(buffer, line, byte)
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
  return vim.fn.strchars(text:sub(1, byte)) + 1
end

--- Changes only the lines that differ, so that marks, folds and the place of the person stay.
local function change(buffer, after)
  local before = files.text_of(buffer)
  local lines = vim.split((after:gsub('\n$', '')), '\n')
  local hunks = vim.diff(before, after, { result_type = 'indices' })
  for index = #hunks, 1, -1 do
    local from, removed, new_from, added = unpack(hunks[index])
    local first = removed == 0 and from or from - 1
    vim.api.nvim_buf_set_lines(buffer, first, first + removed, false,
      vim.list_slice(lines, new_from, new_from + added - 1))
  end
  vim.bo[buffer].endofline = after:sub(-1) == '\n'
end

local function sha256(text) return 'sha256:' .. vim.fn.sha256(text) end

--- By effect; each gives the fields of its answer, or throws why it refuses. One that takes a person's time gives nothing,
--- calls `answer` with the fields later, and gives as a second value what takes away that which is shown for it.
M.all = {
  ['editor.open'] = function(params, workspace)
    local file = assert(session.file_of(workspace, params.path), 'The workspace is not open in this editor.')
    local here = vim.api.nvim_get_current_win()
    local window
    for _, each in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if each ~= here and vim.api.nvim_win_get_buf(each) == files.buffer_of(file) then window = each end
    end
    if not window then
      -- The window that Vim keeps for looking at things; a swap file is nothing to ask about.
      local short = vim.o.shortmess
      vim.o.shortmess = short .. 'A'
      local ok, why = pcall(vim.cmd, 'silent pedit ' .. vim.fn.fnameescape(file))
      vim.o.shortmess = short
      assert(ok, why)
      for _, each in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        if vim.api.nvim_win_get_option(each, 'previewwindow') then window = each end
      end
    end
    local buffer = vim.api.nvim_win_get_buf(window)
    local line = math.min(params.line or 1, vim.api.nvim_buf_line_count(buffer))
    local text = vim.api.nvim_buf_get_lines(buffer, line - 1, line, false)[1]
    vim.api.nvim_win_set_cursor(window, { line, byte_column(text, params.column or 1) })
    vim.api.nvim_win_call(window, function() vim.cmd('normal! zvzz') end)
    return {}
  end,

  ['editor.diagnostics'] = function(params, workspace)
    local found = {}
    for _, each in ipairs(vim.diagnostic.get()) do
      local place, path = session.place_of(vim.api.nvim_buf_get_name(each.bufnr))
      local wanted = not params.path or path == params.path or params.path == '.'
        or vim.startswith(path or '', params.path .. '/')
      if place and place.name == workspace and wanted then
        table.insert(found, {
          path = path,
          line = each.lnum + 1,
          column = character(each.bufnr, each.lnum, each.col),
          end_line = each.end_lnum and each.end_lnum + 1,
          end_column = each.end_lnum and each.end_col and character(each.bufnr, each.end_lnum, each.end_col),
          severity = SEVERITY[each.severity],
          message = each.message,
          code = each.code and tostring(each.code),
          source = each.source,
        })
      end
    end
    table.sort(found, function(a, b) return vim.fn.index(SEVERITY, a.severity) < vim.fn.index(SEVERITY, b.severity) end)
    return { diagnostics = vim.list_slice(found, 1, 1000) }
  end,

  ['editor.apply_edit'] = function(params, workspace)
    local buffer = files.buffer_of(session.file_of(workspace, params.path) or '')
    assert(buffer and vim.bo[buffer].modified, 'This editor has no unsaved changes of the file.')
    assert(sha256(files.text_of(buffer)) == params.before_hash, 'The unsaved text of the file has changed.')
    change(buffer, (params.content:gsub('\r\n', '\n')))
    files.tell_soon()
    return { content_hash = sha256(files.text_of(buffer)) }
  end,

  ['editor.show_diff'] = function(params, _, id, answer)
    return nil, require('toolgate.proposal').show(id, params, answer)
  end,
}

--- The names of what this editor can do.
function M.names()
  local names = vim.tbl_keys(M.all)
  table.insert(names, 'preview.open')
  return names
end

local RETRY_MS = 500

--- What takes away that which is shown for a delegation, by the id of those that were taken up and have not ended.
local doing = {}

--- Nobody waits for it any more.
local function stop(id)
  local take_away = doing[id]
  doing[id] = nil
  if take_away then take_away() end
end

--- Sends an answer until it is heard, or nobody waits for it any more.
local function send(id, body)
  session.post('/delegations/' .. id, body, function(_, failure)
    local is_lost = failure and (failure.status == 0 or failure.status >= 500 or failure.status == 401)
    if is_lost and doing[id] then return vim.defer_fn(function() send(id, body) end, RETRY_MS) end
    doing[id] = nil
  end)
end

local function done(id, fields)
  doing[id] = function() end
  send(id, vim.tbl_extend('force', { status = 'done' }, fields))
end

local function begin(asked)
  local id = asked.delegation_id
  if doing[id] then return end
  -- What waits is shown by the view already; the server is told once the person has put it away.
  if asked.effect == 'preview.open' then
    local call = approvals.find(asked.tool_call_id)
    if call then call.delegation = id end
    return
  end
  doing[id] = function() end
  local ok, result, take_away = pcall(M.all[asked.effect], asked.params, asked.workspace, id,
    function(fields) done(id, fields) end)
  if not ok then
    return send(id, { status = 'refused', reason = (tostring(result):gsub('^.-:%d+: ', '')) })
  end
  if result then return done(id, result) end
  doing[id] = take_away
end

--- What was asked meanwhile is begun; what nobody waits for any more goes.
local function catch_up()
  local before = vim.tbl_keys(doing)
  session.request_pages('/delegations?client_id=' .. session.client_id, 'delegations', function(answer)
    if not answer then return end
    local open = {}
    for _, asked in ipairs(answer.delegations) do
      open[asked.delegation_id] = true
      begin(asked)
    end
    for _, id in ipairs(before) do
      if not open[id] then stop(id) end
    end
  end)
end

local hear = {
  ['stream.snapshot'] = catch_up,
  ['stream.gap'] = catch_up,
  ['tool.delegation_ended'] = function(event) stop(event.delegation_id) end,
  ['tool.delegate'] = function(event)
    if event.client_id and event.client_id ~= session.client_id then return end
    -- One that is told a second time, or has ended meanwhile, is not there any more.
    session.request({ path = '/delegations/' .. event.delegation_id }, function(asked)
      if asked and asked.client_id == session.client_id then begin(asked) end
    end)
  end,
}

session.listen(function(event)
  if hear[event.type] then hear[event.type](event) end
end)

return M
