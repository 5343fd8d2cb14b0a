-- JSON in which the fields of objects stand in an order. Lua's tables know of none, so it is kept beside them: what a person
-- reads is in the order in which it was written.
local M = {}

--- The names of the fields of each object that was read here, in their order.
local names_of = setmetatable({}, { __mode = 'k' })

--- Where a text goes on after blanks.
local function after_blanks(text, at)
  return text:find('[^ \t\r\n]', at) or #text + 1
end

--- Where a string that begins here ends.
local function string_end(text, at)
  repeat
    at = text:find('["\\]', at + 1)
    local is_escape = text:byte(at) == 92
    if is_escape then at = at + 1 end
  until not is_escape
  return at
end

local note

local function note_object(text, at, object)
  local names, seen = {}, {}
  names_of[object] = names
  at = after_blanks(text, at + 1)
  while text:byte(at) == 34 do
    local last = string_end(text, at)
    local name = vim.json.decode(text:sub(at, last))
    if not seen[name] then table.insert(names, name) end
    seen[name] = true
    at = after_blanks(text, text:find(':', last, true) + 1)
    at = after_blanks(text, note(text, at, object[name]))
    if text:byte(at) == 44 then at = after_blanks(text, at + 1) end
  end
  return at + 1
end

local function note_list(text, at, list)
  at = after_blanks(text, at + 1)
  local index = 1
  while text:byte(at) ~= 93 do
    at = after_blanks(text, note(text, at, list[index]))
    index = index + 1
    if text:byte(at) == 44 then at = after_blanks(text, at + 1) end
  end
  return at + 1
end

--- Notes the order in what begins here, which was read as this value; gives where it ends. Of a name that is there twice the
--- last counts, so the value may be of another kind than the text.
function note(text, at, value)
  local first = text:byte(at)
  local known = type(value) == 'table' and value or {}
  if first == 123 then return note_object(text, at, known) end
  if first == 91 then return note_list(text, at, known) end
  if first == 34 then return string_end(text, at) + 1 end
  return text:find('[,%]} \t\r\n]', at) or #text + 1
end

--- Reads JSON; throws where it is none.
function M.decode(text)
  local value = vim.json.decode(text)
  if type(value) == 'table' then note(text, after_blanks(text, 1), value) end
  return value
end

--- The names of the fields of an object: as it was read, or sorted where nobody knows.
function M.names(object)
  local names = {}
  for _, name in ipairs(names_of[object] or {}) do
    if object[name] ~= nil then table.insert(names, name) end
  end
  if #names == vim.tbl_count(object) then return names end
  names = vim.tbl_keys(object)
  table.sort(names)
  return names
end

return M
