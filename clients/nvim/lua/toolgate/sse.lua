-- Server-sent events from bytes, by the standard: characters and line ends may be split anywhere, lines may be of any
-- length. Decoding is left to whoever gets the data whole, so that a split character is no matter.
local M = {}
M.__index = M

function M.new()
  return setmetatable({ line = {}, data = {}, event = '', after_cr = false }, M)
end

--- The frames that these bytes complete: each {id, event, data}. What the server asks for by `retry:` is in `self.retry`.
function M:push(bytes)
  local frames = {}
  local from = 1
  if bytes == '' then return frames end
  -- The LF of a CRLF may come with the next bytes.
  if self.after_cr and bytes:byte(1) == 10 then from = 2 end
  self.after_cr = bytes:byte(-1) == 13
  while true do
    local at = bytes:find('[\r\n]', from)
    if not at then break end
    table.insert(self.line, bytes:sub(from, at - 1))
    local frame = self:take(table.concat(self.line))
    self.line = {}
    if frame then table.insert(frames, frame) end
    from = bytes:sub(at, at + 1) == '\r\n' and at + 2 or at + 1
  end
  if from <= #bytes then table.insert(self.line, bytes:sub(from)) end
  return frames
end

function M:take(line)
  if line == '' then return self:dispatch() end
  local field, value = line:match('^([^:]*):? ?(.*)$')
  if field == 'data' then
    table.insert(self.data, value)
  elseif field == 'event' then
    self.event = value
  elseif field == 'id' and not value:find('%z') then
    self.id = value
  elseif field == 'retry' and value:match('^%d+$') then
    self.retry = tonumber(value)
  end
end

function M:dispatch()
  local frame = { id = self.id, event = self.event ~= '' and self.event or 'message', data = table.concat(self.data, '\n') }
  local empty = #self.data == 0
  self.data, self.event = {}, ''
  return not empty and frame or nil
end

return M
