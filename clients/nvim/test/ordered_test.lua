local ordered = require('toolgate.ordered')
local is_same = require('toolgate.same')

local function same(actual, expected)
  assert(is_same(actual, expected), vim.inspect(actual) .. '\nis not\n' .. vim.inspect(expected))
end

--- A number from 1 to `most`, of a series that is the same each time.
local function series(seed)
  return function(most)
    seed = (seed * 16807) % 2147483647
    return seed % most + 1
  end
end

local NAMES = { 'b', 'a', '', 'é', 'q"uote', 'back\\slash', 'line\n', '{', '}', ',', ':', '10', '2' }
local SCALARS = { '1', '-0.5e3', 'true', 'false', 'null', '"x"', '"\\"}"', '"\\\\"', '"],{"', '""' }
local BLANKS = { '', ' ', '\n\t', '  ' }

--- JSON of some depth, and the order of the names in it: a list of names for each object, nil for all else.
local function any(pick, depth)
  local function blank() return BLANKS[pick(#BLANKS)] end
  local kind = depth == 0 and 3 or pick(3)
  if kind == 3 then return SCALARS[pick(#SCALARS)] end
  local parts, order = {}, { names = kind == 1 and {} or nil, within = {} }
  local offset = pick(#NAMES)
  for index = 1, pick(4) - 1 do
    local text, inner = any(pick, depth - 1)
    local name = NAMES[(offset + index * 5) % #NAMES + 1]
    if kind == 1 then
      table.insert(order.names, name)
      text = blank() .. vim.json.encode(name) .. blank() .. ':' .. blank() .. text
    end
    order.within[kind == 1 and name or index] = inner
    table.insert(parts, text .. blank())
  end
  local open, close = unpack(kind == 1 and { '{', '}' } or { '[', ']' })
  return open .. blank() .. table.concat(parts, ',' .. blank()) .. close, order
end

local function check(value, order)
  if order.names then same(ordered.names(value), order.names) end
  for name, inner in pairs(order.within) do
    check(value[name], inner)
  end
end

return {
  ['the fields of an object are in the order in which they came, whatever stands in them'] = function()
    for seed = 1, 500 do
      local text, order = any(series(seed), 4)
      local ok, why = pcall(function()
        local value = ordered.decode(text)
        same(value, vim.json.decode(text))
        if order then check(value, order) end
      end)
      assert(ok, text .. '\n' .. tostring(why))
    end
  end,

  ['of a name that is there twice the last counts; what was made here is sorted'] = function()
    local value = ordered.decode('{"b":{"x":[1]},"a":1,"b":[{"y":1,"x":2}]}')
    same(ordered.names(value), { 'b', 'a' })
    same(ordered.names({ b = 1, a = 2 }), { 'a', 'b' })
    value.c = 1
    same(ordered.names(value), { 'a', 'b', 'c' })
    assert(not pcall(ordered.decode, '{"a":'))
  end,

  ['large and wide values are read'] = function()
    local text = '{"z":' .. vim.json.encode(('x"\\'):rep(300000)) .. ',"a":[' .. ('{"n":1},'):rep(50000) .. '1]}'
    same(ordered.names(ordered.decode(text)), { 'z', 'a' })
    local fields = {}
    for i = 1, 40000 do fields[i] = ('"%d":1'):format(i) end
    same(#ordered.names(ordered.decode('{' .. table.concat(fields, ',') .. '}')), 40000)
  end,
}
