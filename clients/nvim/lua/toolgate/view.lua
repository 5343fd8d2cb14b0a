-- The view of a call that waits for a decision, and the keys that decide on it.
local approvals = require('toolgate.approvals')
local beside = require('toolgate.beside')
local comments = require('toolgate.comments')
local decide = require('toolgate.decide')
local limits = require('toolgate.limits')
local modes = require('toolgate.modes')
local params = require('toolgate.params')
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local session = require('toolgate.session')
local words = require('toolgate.words')
local M = {}

--- By id of the call.
local views = {}

--- The call of this view where it may be decided on now.
local function at_hand(view)
  if not beside.may_decide(view) then return end
  return approvals.find(view.call)
end

--- The call of this view where it may be approved now, and the digest of what was displayed of it.
local function displayed_at_hand(view)
  if not beside.may_approve(view) or not comments.may_approve(view) then return end
  return approvals.find(view.call), view.digest
end

--- Shows the call with these parameters from now on; as it was asked where they are nil.
local function show_changed(view, changed)
  view.changed, view.kept = changed, nil
  beside.renew(view)
end

--- Asks for more than a key where the call is strict.
local function confirm(call, done)
  if call.approval.level ~= 'strict' then return done({}) end
  vim.ui.input({ prompt = words.brief(call.approval.preview.title) .. ' is strict. Type yes to approve: ' }, function(said)
    if said == 'yes' then done({ confirm = true }) else say('you have not decided; the call still waits.') end
  end)
end

local keys = {}

function keys.y(view)
  local call, digest = displayed_at_hand(view)
  if not call then return end
  local changed = view.changed
  confirm(changed or call, function(more)
    local fields = vim.tbl_extend('force', { digest = digest, whole_digest = call.approval.whole_digest }, more)
    decide(call, 'approve', changed and params.approving(changed, fields) or fields)
  end)
end

function keys.n(view)
  local call = at_hand(view)
  if call then decide(call, 'reject', comments.rejecting(view, vim.empty_dict())) end
end

function keys.r(view)
  local call = at_hand(view)
  if not call then return end
  local count = comments.count(view)
  local with = count and ' with ' .. count or ''
  vim.ui.input({ prompt = ('Reject %s%s because: '):format(call.tool, with) }, function(reason)
    if reason and reason ~= '' then
      decide(call, 'reject', comments.rejecting(view, { reason = reason, user_message = reason }))
    else
      say('you have not decided; the call still waits.')
    end
  end)
end

function keys.a(view)
  local call = at_hand(view)
  if not call then return end
  if view.changed then return say('no rule for edited parameters: y approves once, u undoes the edit.') end
  local options = call.approval.always_options
  if #options == 0 then return say('no rule can be saved: this call always needs approval.') end
  local digest = view.digest
  if not beside.may_approve(view) or not comments.may_approve(view) then return end
  vim.ui.select(options, {
    prompt = 'Approve and save a rule:',
    format_item = function(option) return words.brief(option.label) .. ' — ' .. words.rules_of(option) end,
  }, function(option)
    if option then limits.ask(function(chosen)
      decide(call, 'approve', {
        digest = digest, whole_digest = call.approval.whole_digest, always = option.id, always_limits = chosen,
      })
    end) end
  end)
end

function keys.e(view)
  local call = at_hand(view)
  if not call then return end
  params.edit(view.changed or call, view.kept, function(changed)
    local is_here = beside.current() == view
    show_changed(view, changed)
    if is_here then beside.visit(view) end
    say('this is the new preview; decide in this window.')
  end)
end

function keys.c(view)
  if not approvals.find(view.call) then return end
  if view.changed then return say('no comments on edited parameters: u restores the original call.') end
  comments.ask(view)
end

function keys.u(view)
  if not view.changed and not view.kept then return say('you have not edited the parameters of this call.') end
  show_changed(view, nil)
end

function keys.d(view)
  local call = approvals.find(view.call)
  if call and view.changed then return say('only the original call can be compared: u restores its parameters.') end
  if call then require('toolgate.compare').open(call) end
end

function keys.m(view)
  local call = approvals.find(view.call)
  if call then modes.choose(call) end
end

keys['<Space>'] = require('toolgate.displayed').page
keys.q = beside.put_away
keys['?'] = function() scratch.help(words.HELP) end
keys[']]'] = function(view) beside.step(view, 1) end
keys['[['] = function(view) beside.step(view, -1) end

local function title(call) return call.tool .. ': ' .. call.approval.preview.title end

local function view_of(call)
  local id = call.tool_call_id
  local view = { name = 'call/' .. id, call = id, title = title(call), keys = keys }
  function view.draw()
    local fresh = approvals.find(id)
    view.digest = fresh.approval.digest
    approvals.load_whole(fresh)
    if view.changed then view.changed.overtaken = fresh.overtaken end
    local lines, marks, folds, last, targets = words.of_call(view.changed or fresh)
    comments.place(view, view.changed and {} or targets)
    -- The lines that are not loaded yet may have comments.
    if not view.changed and not fresh.approval.preview.cut then comments.keep(view) end
    return lines, marks, folds, last
  end
  function view.drawn() comments.show(view) end
  function view.about()
    local fresh = approvals.find(id)
    if not fresh then return end
    local deadline = words.deadline(fresh)
    return table.concat(vim.tbl_filter(function(part) return part end,
      { 'mode ' .. modes.of(fresh), comments.count(view) or false, deadline or false }), ' · ')
  end
  function view.left()
    local left = approvals.find(id)
    if not left or not left.delegation then return end
    session.post('/delegations/' .. left.delegation, { status = 'done' }, function() end)
    left.delegation = nil
  end
  return view
end

--- Goes to what is shown of the call.
function M.visit(call)
  beside.visit(views[call.tool_call_id])
end

--- Whether the current window shows the call as it is now.
function M.is_here(call)
  local view = views[call.tool_call_id]
  return beside.current() == view and beside.is_shown(view)
end

--- The keys, for commands: they decide on what the current window shows.
function M.press(key)
  keys[key](beside.current())
end

approvals.on.opened = function(call)
  local view = view_of(call)
  views[call.tool_call_id] = view
  say(('%s waiting: %s  (:Toolgate approvals)'):format(call.tool, call.approval.preview.title))
  beside.add(view)
end

approvals.on.renewed = function(call)
  local view = views[call.tool_call_id]
  view.title = title(call)
  -- What was foreseen of other parameters may not hold any more; they are the person's, and kept.
  local kept = view.changed and view.changed.changed.text or view.kept
  show_changed(view, nil)
  -- A call that did not do with them what was shown has them by now.
  if kept and params.are(kept, call) then kept = nil end
  view.kept = kept
  if kept then say('the call has changed: new preview. e opens your parameters again.') end
end

approvals.on.completed = function(call)
  beside.renew(views[call.tool_call_id])
end

approvals.on.overtaken = function(call)
  beside.say_more(views[call.tool_call_id])
end

approvals.on.settled = function(call, how, mine)
  local view = views[call.tool_call_id]
  views[call.tool_call_id], view.changed = nil, nil
  comments.forget(view)
  require('toolgate.compare').close(call.tool_call_id)
  if mine and how == 'approve' then return require('toolgate.outcome').show(view, call) end
  if mine then return beside.remove(view) end
  local what = ('%s: %s'):format(call.tool, how)
  say(what)
  beside.finish(view, { what, '', 'q closes this.' }, { { 1, 'ToolgateTitle' } })
end

return M
