// Synonyms and abbreviations used by programmers. Each line is one meaning; a query word is expanded to its line, with less
// weight than the word itself.
import { tokenize } from './tokenize.ts'

const MEANINGS = `
  argument arg param parameter
  abort cancel stop
  address addr url uri
  allocate alloc
  allow permit grant
  app application
  approve approval confirm accept
  array list arr
  async asynchronous
  attribute attr property prop
  auth authentication authenticate login
  authorization authorize permission access
  background daemon detach
  block deny forbid refuse reject
  boundary border limit
  buffer buf
  byte octet
  cache memoize
  calculate compute calc
  callback handler listener hook
  change modify update edit
  channel pipe stream
  character char
  check validate verify
  child subprocess spawn
  clean cleanup sweep purge
  client consumer
  command cmd
  compare diff difference
  compress zip gzip
  concurrency concurrent parallel
  config configuration setting option preference
  connect connection conn socket
  container docker
  context ctx
  convert transform translate
  copy clone duplicate
  count number num total
  crash die died kill killed
  create make new build
  credential secret password passwd token key
  current cur now
  cursor position offset
  database db sqlite sql
  debounce throttle
  decode parse
  default fallback
  delay wait sleep pause timeout
  delete remove rm unlink drop erase
  dependency package module library
  destination dest target
  detect recognize guess
  directory folder dir
  dispatch route
  display show render print
  document doc documentation
  element item entry
  encode serialize stringify format
  end finish complete settle exit
  environment env variable
  error err exception failure fault
  escape quote
  event message notification
  execute exec run invoke call
  expire expiry ttl stale
  fetch get load retrieve download
  file path
  filter select
  find search lookup query
  function func fn method
  generate gen produce
  group grp
  hash digest checksum
  hide mask redact conceal
  history log journal
  host server
  id identifier uuid
  ignore skip exclude
  image picture photo
  index idx
  initialize init setup start bootstrap
  input stdin
  install setup
  interrupt signal sigint
  interval period
  job task work
  jail sandbox isolate isolation
  json serialize
  keepalive heartbeat ping
  language lang
  latest last newest recent
  length len size
  limit max maximum cap bound quota
  line row
  lock mutex semaphore
  memory mem ram
  merge join combine
  metric statistic stat
  minimum min
  move rename mv
  network net
  object obj
  order sort
  output stdout
  parallel simultaneous
  pattern regex regexp
  pid process
  pointer ptr ref reference
  previous prev before
  private internal
  process proc program
  prompt question ask
  proxy gateway
  queue fifo
  random rand
  read open
  receive recv
  recover restore resume
  recursive tree
  repository repo git
  request req
  resize scale
  response res reply answer
  result outcome
  retry again
  revert undo rollback
  schedule timer cron
  schema model
  send emit publish post
  sequence seq
  session conversation
  shell bash sh
  shutdown stop close
  source src origin
  specification spec
  split separate divide
  string str text
  structure struct type
  style theme
  symlink link symbolic
  synchronize sync
  temporary tmp temp
  terminal tty pty console
  terminate kill end
  thread worker
  timestamp time date
  trace stack
  truncate cut shorten
  unique distinct dedupe
  unsaved dirty
  user account
  utility util helper
  value val
  vector vec
  version release
  watch observe monitor
  window win
  write save store persist
  yield generator`

const SYNONYMS = new Map<string, Set<string>>()
for (const line of MEANINGS.trim().split('\n')) {
  const words = tokenize(line)
  for (const word of words) SYNONYMS.set(word, new Set([...(SYNONYMS.get(word) ?? []), ...words]))
}

/** Returns the synonyms of a word. */
export const synonymsOf = (word: string): string[] => [...(SYNONYMS.get(word) ?? [])].filter(other => other !== word)
