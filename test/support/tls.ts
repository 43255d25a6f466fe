/**
 * A certificate for localhost, 127.0.0.1 and ::1, signed by itself, and its key: for tests only, since everybody can read the key.
 * Made with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost -addext
 * subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1`; valid for a hundred years.
 */
export const TEST_TLS = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBrzCCAVSgAwIBAgIUfQeJ6HsjRJ9x4m+JExEdOGwoljcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTIxMTYxM1oYDzIxMjYxMDI4
MjExNjEzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR6BXoBAfZI3ceqbBZBPYmazG0mGhUCTdCe8t0Tmm/7yJtc025y53Fm
STGp37S+c8XJZa24CTfqNXxUnceZZUuyo4GBMH8wHQYDVR0OBBYEFBgZf/Ts0w15
kybwB9ovGLvZp380MB8GA1UdIwQYMBaAFBgZf/Ts0w15kybwB9ovGLvZp380MCwG
A1UdEQQlMCOCCWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAPBgNV
HRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDtwJvzDDdiW2jk8afLpvt9
TFhmZattIV6l26pNZHD0QQIhAKtOXgJiby9AiENZScNKsWpQ9N1hsfjznx2iZF9H
KbBh
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8biCu8kzJOv9Jfwu
DkO3NhDNzM975IRmwVyFiunLCFGhRANCAAR6BXoBAfZI3ceqbBZBPYmazG0mGhUC
TdCe8t0Tmm/7yJtc025y53FmSTGp37S+c8XJZa24CTfqNXxUnceZZUuy
-----END PRIVATE KEY-----
`,
} as const
