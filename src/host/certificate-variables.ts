// Variables that name files of trusted certificate authorities: with a company's or a machine's own authorities, TLS connections
// fail without them. They hold no secrets; each names only files.

export const CERTIFICATE_VARIABLES: readonly string[] = [
  'AWS_CA_BUNDLE',
  'BUNDLE_SSL_CA_CERT',
  'CARGO_HTTP_CAINFO',
  'CURL_CA_BUNDLE',
  'DENO_CERT',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'HTTPLIB2_CA_CERTS',
  'NIX_SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NPM_CONFIG_CAFILE',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'YARN_HTTPS_CA_FILE_PATH',
  'npm_config_cafile'
]
