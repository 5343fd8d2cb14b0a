local sse = require('toolgate.sse')

local function all(pieces)
  local parser, frames = sse.new(), {}
  for _, piece in ipairs(pieces) do
    vim.list_extend(frames, parser:push(piece))
  end
  return frames, parser
end

local is_same = require('toolgate.same')

local function same(actual, expected)
  assert(is_same(actual, expected), vim.inspect(actual) .. '\nis not\n' .. vim.inspect(expected))
end

return {
  ['an event is the same wherever its bytes are split'] = function()
    for _, eol in ipairs({ '\n', '\r\n', '\r' }) do
      local text = table.concat({ ': hb', '', 'retry: 7', 'id: 3', 'event: tool.call', 'data: {"a":"é€😀"', 'data:}', '', '' }, eol)
      local whole = { { id = '3', event = 'tool.call', data = '{"a":"é€😀"\n}' } }
      for at = 0, #text do
        local frames, parser = all({ text:sub(1, at), text:sub(at + 1) })
        same(frames, whole)
        same(parser.retry, 7)
      end
      local bytes = {}
      for at = 1, #text do
        bytes[at] = text:sub(at, at)
      end
      same(all(bytes), whole)
    end
  end,

  ['what has no data is no event, and an id lasts'] = function()
    same(all({ 'id: 1\n\nevent: x\n\ndata: a\n\nid: bad\0id\ndata: b\n\n' }), {
      { id = '1', event = 'message', data = 'a' },
      { id = '1', event = 'message', data = 'b' },
    })
  end,

  ['a long line is put together once'] = function()
    local piece, pieces = ('x'):rep(65536), { 'data: ' }
    for _ = 1, 80 do
      table.insert(pieces, piece)
    end
    table.insert(pieces, '\n\n')
    same(#all(pieces)[1].data, 80 * 65536)
  end,

  ['20,000 events are all told'] = function()
    local text = ('data: {"n":1}\n\n'):rep(20000)
    local pieces = {}
    for at = 1, #text, 1000 do
      table.insert(pieces, text:sub(at, at + 999))
    end
    same(#all(pieces), 20000)
  end,
}
