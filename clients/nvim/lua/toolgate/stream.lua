-- Following events over connections that come and go: found anew each time, resumed where it was left.
local discover = require('toolgate.discover')
local http = require('toolgate.http')
local ordered = require('toolgate.ordered')
local sse = require('toolgate.sse')
local M = {}

local RETRY_MS, LONGEST_RETRY_MS = 500, 10000
--- The server speaks every 15 s; three times that of silence is a dead connection.
local SILENCE_MS = 45000

--- Follows until `stop()`. `on` has event(event), state(state, why), found(connection); states are "off" (no server),
--- "live", "lost" (it comes back) and "refused" (it never will). `found` calls back when events may come, or with why not.
function M.follow(project, query, on)
  local self = { tries = 0, retry = RETRY_MS, last = nil, project = project }
  local timer = vim.loop.new_timer()

  local function later()
    local ms = math.min(self.retry * 2 ^ self.tries, LONGEST_RETRY_MS) * (0.5 + math.random() / 2)
    self.tries = self.tries + 1
    timer:start(math.floor(ms), 0, vim.schedule_wrap(function() self.connect() end))
  end

  local function open(connection)
    local parser, silence = sse.new(), vim.loop.new_timer()
    local headers = { Accept = 'text/event-stream', ['Last-Event-ID'] = self.last }
    local function heard()
      silence:start(SILENCE_MS, 0, vim.schedule_wrap(function() vim.fn.jobstop(self.job) end))
    end
    heard()
    self.job = http.start(connection, { path = '/events?' .. query, headers = headers, flags = { '-N' } }, {
      stdout = function(data)
        heard()
        for _, frame in ipairs(parser:push(table.concat(data, '\n'))) do
          self.last, self.retry, self.tries = frame.id or self.last, parser.retry or self.retry, 0
          local ok, event = pcall(ordered.decode, frame.data)
          if ok then
            if event.type == 'stream.snapshot' then on.state('live') end
            on.event(event)
          end
        end
      end,
      exit = function(_, status, said)
        silence:close()
        self.job = nil
        if self.stopped then return end
        -- An unknown token may be of a server that was started anew. Any other refusal stays one.
        if status >= 400 and status < 500 and status ~= 401 then
          return on.state('refused', said ~= '' and said or ('the server answered ' .. status))
        end
        on.state('lost', said)
        later()
      end,
    })
  end

  function self.connect()
    timer:stop()
    if self.job or self.searching then return end
    self.stopped, self.searching = false, true
    discover.find(self.project, function(connection, why)
      self.searching = false
      if self.stopped then return end
      if not connection then
        on.state('off', why)
        return later()
      end
      -- The numbers of another journal mean nothing here.
      local roots = connection.record and table.concat(connection.record.roots, '\n') or connection.url
      if self.roots ~= roots then self.last = nil end
      self.roots = roots
      self.searching = true
      on.found(connection, function(why)
        self.searching = false
        if self.stopped then return end
        if not why then return open(connection) end
        on.state('lost', why)
        later()
      end)
    end)
  end

  function self.stop()
    self.stopped = true
    timer:stop()
    if self.job then vim.fn.jobstop(self.job) end
  end

  self.connect()
  return self
end

return M
