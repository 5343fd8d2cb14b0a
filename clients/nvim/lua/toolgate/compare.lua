-- The whole texts of what a call would change, before and after.
local say = require('toolgate.say').say
local session = require('toolgate.session')
local texts = require('toolgate.texts')
local M = {}

--- What is open, by call.
local open = {}

local function show(call, file)
  local pair = texts.open(file.to or file.path, file.before, file.after)
  open[call.tool_call_id] = open[call.tool_call_id] or {}
  table.insert(open[call.tool_call_id], pair)
end

--- Asks for the texts of exactly what was shown, and opens them; of several files the person chooses one.
function M.open(call)
  local path = ('/calls/%s/preview?digest=%s'):format(call.tool_call_id, call.approval.digest)
  session.request({ path = path }, function(proposal, failure)
    if failure then return say(failure.message, vim.log.levels.ERROR) end
    if #proposal.files == 0 then return say('the preview has no file changes to compare.') end
    local function one(file)
      if not file then return end
      if file.withheld then return say(('%s: no texts, %s'):format(file.path, (file.withheld:gsub('_', ' ')))) end
      show(call, file)
    end
    if #proposal.files == 1 then return one(proposal.files[1]) end
    vim.ui.select(proposal.files, { prompt = 'Compare:', format_item = function(file) return file.to or file.path end }, one)
  end)
end

--- The call waits no more: what is shown of it goes, but for what a person looks at just now.
function M.close(id)
  for _, pair in ipairs(open[id] or {}) do
    texts.close_when_left(pair)
  end
  open[id] = nil
end

return M
