#if __has_include(<curl/curl.h>)
// Its checks of types know constant options only.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Without a resolver that runs beside it libcurl would block the loop, and use signals. With one it leaves them alone but for SIGPIPE, which it ignores
// while it writes.
static inline int flickit_begin(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS) != 0;
}

// Functions with a variable number of arguments are not visible in Swift: one for each kind of argument.

static inline CURLcode flickit_easy_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}

static inline CURLcode flickit_easy_set_size(CURL *easy, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(easy, option, size);
}

static inline CURLcode flickit_easy_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

static inline CURLcode flickit_easy_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

static inline CURLcode flickit_easy_set_function(CURL *easy, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode flickit_easy_get_number(CURL *easy, CURLINFO info, long *number) {
    return curl_easy_getinfo(easy, info, number);
}

static inline CURLcode flickit_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *size) {
    return curl_easy_getinfo(easy, info, size);
}

static inline CURLMcode flickit_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}

static inline CURLMcode flickit_multi_set_pointer(CURLM *multi, CURLMoption option, void *pointer) {
    return curl_multi_setopt(multi, option, pointer);
}

static inline CURLMcode flickit_multi_set_socket_function(CURLM *multi, curl_socket_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

static inline CURLMcode flickit_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

// What has another form in each version.

static inline CURLcode flickit_easy_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// The end of a transfer does not wait for the thread that still resolves its host.
static inline void flickit_easy_leave_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
#endif
}

#else
#error "The package trait Webhooks needs libcurl. On Debian and Ubuntu: apt-get install libcurl4-openssl-dev"
#endif
