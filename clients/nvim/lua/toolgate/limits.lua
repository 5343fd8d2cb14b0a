-- The end of a rule that is saved with an approval.
local ask = require('toolgate.prompt').ask
local say = require('toolgate.say').say
local M = {}

local PROMPT = 'End of the rule: 2h, 10 uses or session (empty: when revoked): '

--- Returns the limits that a text names, such as `2h session`; nil for a text that names none.
function M.parse(text)
  local limits = vim.empty_dict()
  local left = vim.trim(text:lower()) .. ' '
  while left:find('%S') do
    local lifetime, after = left:match('^([1-9]%d*[smhd])[%s,]+()')
    if not lifetime then
      local uses
      uses, after = left:match('^([1-9]%d*)%s*uses?[%s,]+()')
      if not uses then uses, after = left:match('^([1-9]%d*)%s*x[%s,]+()') end
      if uses then limits.uses = tonumber(uses)
      else
        after = left:match('^session[%s,]+()')
        if not after then return nil end
        limits.scope = 'session'
      end
    else
      limits['for'] = lifetime
    end
    left = left:sub(after)
  end
  return limits
end

--- Asks for the limits and passes them on; a cancelled prompt decides nothing.
function M.ask(done)
  ask({ prompt = PROMPT }, function(text)
    if not text then return say('you have not decided; the call still waits.') end
    local limits = M.parse(text)
    if not limits then return say(('no end of a rule: %s; the call still waits.'):format(text)) end
    done(limits)
  end)
end

return M
