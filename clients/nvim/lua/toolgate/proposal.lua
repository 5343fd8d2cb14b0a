-- A text that a tool proposes for a file: the person accepts it, changes it and accepts that, or rejects it. Nothing is
-- written here; whoever proposed it is told.
local beside = require('toolgate.beside')
local displayed = require('toolgate.displayed')
local say = require('toolgate.say').say
local scratch = require('toolgate.scratch')
local texts = require('toolgate.texts')
local words = require('toolgate.words')
local M = {}

local function close_texts(view)
  if view.pair then texts.close(view.pair) end
  view.pair = nil
end

--- It was decided here. The tab goes first, so that the person is where they came from.
local function decide(view, decision)
  close_texts(view)
  beside.remove(view)
  view.answer(decision)
end

--- Opens both texts; the proposed one can be changed there.
local function change(view)
  if view.is_over then return say('this proposal is no longer open. q closes this window.') end
  if view.pair and vim.api.nvim_tabpage_is_valid(view.pair.tab) then
    vim.api.nvim_set_current_tabpage(view.pair.tab)
    return beside.guard(view)
  end
  local params = view.params
  local pair = texts.open(params.path, params.before, params.after)
  view.pair = pair
  vim.bo[pair.after].modifiable = true
  -- It holds a text of the person: a key that they know as another is not to close it.
  vim.keymap.del('n', 'q', { buffer = pair.after })
  vim.keymap.set('n', '<C-c><C-c>', function()
    if not beside.may_decide(view) or not displayed.was_displayed(view) then return end
    local text = texts.text_of(pair.after)
    decide(view, { decision = 'accepted', content = text ~= params.after and text or nil })
  end, { buffer = pair.after, nowait = true })
  vim.keymap.set('n', '<C-c><C-k>', function() close_texts(view) end, { buffer = pair.after, nowait = true })
  vim.api.nvim_create_autocmd({ 'TabEnter', 'FocusGained' }, { buffer = pair.after, callback = function() beside.guard(view) end })
  beside.guard(view)
  say('<C-c><C-c> accepts the right text, <C-c><C-k> returns.')
end

local keys = { e = change, d = change, q = beside.put_away, ['<Space>'] = displayed.page }

function keys.y(view)
  if beside.may_approve(view) then decide(view, { decision = 'accepted' }) end
end

function keys.n(view)
  if beside.may_decide(view) then decide(view, { decision = 'rejected' }) end
end

function keys.r(view)
  if not beside.may_decide(view) then return end
  vim.ui.input({ prompt = 'Reason: ' }, function(reason)
    if view.is_over then return end
    if not reason or reason == '' then return say('you have not decided; the proposal is still open.') end
    decide(view, { decision = 'rejected', comment = reason })
  end)
end

keys['?'] = function() scratch.help(words.HELP_WITH_PROPOSAL) end
keys[']]'] = function(view) beside.step(view, 1) end
keys['[['] = function(view) beside.step(view, -1) end

--- Shows what is proposed; `answer` is called with the decision, once. Gives a function that takes it away, for when
--- nobody waits for the answer any more.
function M.show(id, params, answer)
  local view = { name = 'proposal/' .. id, title = 'proposed: ' .. params.path, keys = keys, params = params, answer = answer }
  function view.draw() return words.of_proposal(params) end
  say(('a change of %s is proposed  (:Toolgate approvals)'):format(params.path))
  beside.add(view)
  return function()
    if view.is_over then return end
    local what = ('%s: the proposal is no longer open.'):format(params.path)
    say(what)
    if view.pair then texts.close_when_left(view.pair) end
    beside.finish(view, { what, '', 'q closes this.' }, { { 1, 'ToolgateTitle' } })
  end
end

return M
