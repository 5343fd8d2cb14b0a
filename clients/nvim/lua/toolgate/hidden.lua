-- Characters that can't be seen, or that show text in another order than it has: whoever decides is to know of them.
local M = {}

--- All formatting characters of Unicode, its line and paragraph separators, and what else is drawn as nothing.
local RANGES = {
  { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x600, 0x605 }, { 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f },
  { 0x890, 0x891 }, { 0x8e2, 0x8e2 }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
  { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
  { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
}

local CHARACTER = '[\194-\244][\128-\191]+'

--- By character: its number where it is hidden, else false.
local number = setmetatable({}, { __index = function(known, character)
  local code = vim.fn.char2nr(character)
  known[character] = false
  for _, range in ipairs(RANGES) do
    if code >= range[1] and code <= range[2] then known[character] = code end
  end
  return known[character]
end })

--- The text with what is hidden in it written out, and where that stands: {from, to}, bytes from 0.
function M.shown(text)
  local places, longer = {}, 0
  local shown = text:gsub('()(' .. CHARACTER .. ')', function(at, character)
    local code = number[character]
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
  return (text:gsub(CHARACTER, function(character)
    local code = number[character]
    if not code then return end
    if code < 0x10000 then return ('\\u%04x'):format(code) end
    local rest = code - 0x10000
    return ('\\u%04x\\u%04x'):format(0xd800 + math.floor(rest / 0x400), 0xdc00 + rest % 0x400)
  end))
end

--- Whether a text hides something, or one in a table, or a name in it.
function M.is_in(value)
  if type(value) == 'string' then
    for character in value:gmatch(CHARACTER) do
      if number[character] then return true end
    end
  elseif type(value) == 'table' then
    for name, each in pairs(value) do
      if M.is_in(name) or M.is_in(each) then return true end
    end
  end
  return false
end

return M
