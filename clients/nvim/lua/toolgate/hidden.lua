-- Characters that can't be seen, or that show text in another order than it has: whoever decides is to know of them.
local M = {}

local invisible = require('toolgate.invisible')

local EMOJI_SELECTOR = 0xfe0f

local function is_within(ranges, code)
  for _, range in ipairs(ranges) do
    if code <= range[2] then return code >= range[1] end
  end
  return false
end

local CHARACTER = '[\194-\244][\128-\191]+'

--- By character: its code point if it renders as nothing, else false.
local number = setmetatable({}, { __index = function(known, character)
  local code = vim.fn.char2nr(character)
  known[character] = is_within(invisible.ranges, code) and code
  return known[character]
end })

--- The code point of a character that begins at a byte of a text, if it renders as nothing there; else nil.
local function hidden_code(text, at, character)
  local code = number[character] or nil
  if code ~= EMOJI_SELECTOR then return code end
  local before = text:sub(math.max(1, at - 4), at - 1):match(CHARACTER .. '$')
  return not (before and is_within(invisible.pictographs, vim.fn.char2nr(before))) and code or nil
end

--- The text with what is hidden in it written out, and where that stands: {from, to}, bytes from 0.
function M.shown(text)
  local places, longer = {}, 0
  local shown = text:gsub('()(' .. CHARACTER .. ')', function(at, character)
    local code = hidden_code(text, at, character)
    if not code then return end
    local written = ('\\u{%x}'):format(code)
    table.insert(places, { at - 1 + longer, at - 1 + longer + #written })
    longer = longer + #written - #character
    return written
  end)
  return shown, places
end

--- JSON that means the same, and hides nothing.
function M.in_json(text)
  return (text:gsub('()(' .. CHARACTER .. ')', function(at, character)
    local code = hidden_code(text, at, character)
    if not code then return end
    if code < 0x10000 then return ('\\u%04x'):format(code) end
    local rest = code - 0x10000
    return ('\\u%04x\\u%04x'):format(0xd800 + math.floor(rest / 0x400), 0xdc00 + rest % 0x400)
  end))
end

--- Whether a text hides something, or one in a table, or a name in it.
function M.is_in(value)
  if type(value) == 'string' then
    for at, character in value:gmatch('()(' .. CHARACTER .. ')') do
      if hidden_code(value, at, character) then return true end
    end
  elseif type(value) == 'table' then
    for name, each in pairs(value) do
      if M.is_in(name) or M.is_in(each) then return true end
    end
  end
  return false
end

return M
