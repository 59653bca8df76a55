// What Swift cannot see of libcurl: its variadic functions, each behind a function of fixed shape.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

// The type checks of <curl/typecheck-gcc.h> need a constant option.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// A callback that reads or writes bytes: CURLOPT_READFUNCTION, _WRITEFUNCTION, _HEADERFUNCTION.
typedef size_t (*ccurl_data_callback)(char *_Nonnull bytes, size_t size, size_t count,
                                      void *_Nullable closure);

/// The callback of CURLOPT_DEBUGFUNCTION.
typedef int (*ccurl_debug_callback)(CURL *_Nonnull handle, curl_infotype kind, char *_Nonnull bytes,
                                    size_t count, void *_Nullable closure);

/// The callback of CURLOPT_XFERINFOFUNCTION.
typedef int (*ccurl_progress_callback)(void *_Nullable closure, curl_off_t download_total,
                                       curl_off_t downloaded, curl_off_t upload_total,
                                       curl_off_t uploaded);

/// The callback of CURLOPT_SOCKOPTFUNCTION.
typedef int (*ccurl_socket_callback)(void *_Nullable closure, curl_socket_t socket,
                                     curlsocktype purpose);

/// The callback of CURLOPT_CLOSESOCKETFUNCTION.
typedef int (*ccurl_close_callback)(void *_Nullable closure, curl_socket_t socket);

/// The callback of CURLOPT_OPENSOCKETFUNCTION.
typedef curl_socket_t (*ccurl_open_callback)(void *_Nullable closure, curlsocktype purpose,
                                             struct curl_sockaddr *_Nonnull address);

// Members of enums before libcurl 8.14 and macros since, which Swift imports in different ways.
static const long ccurl_ssl_none = CURLUSESSL_NONE;
static const long ccurl_ssl_try = CURLUSESSL_TRY;
static const long ccurl_ssl_all = CURLUSESSL_ALL;
static const long ccurl_netrc_ignored = CURL_NETRC_IGNORED;

/// A file without a name, from which libcurl reads what it only takes from files; memfd_create is
/// not visible without _GNU_SOURCE. The flag is MFD_CLOEXEC.
static inline int ccurl_memory_file(void) {
  return (int)syscall(SYS_memfd_create, "enlist", 1u);
}

/// The flags of curl_global_init are a macro with a cast.
static inline CURLcode ccurl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt is variadic. libcurl copies the string; NULL clears the option.
static inline CURLcode ccurl_set_string(CURL *_Nonnull handle, CURLoption option,
                                        const char *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt is variadic. The pointer that libcurl passes to a callback.
static inline CURLcode ccurl_set_pointer(CURL *_Nonnull handle, CURLoption option,
                                         void *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt is variadic. libcurl does not copy the list.
static inline CURLcode ccurl_set_list(CURL *_Nonnull handle, CURLoption option,
                                      struct curl_slist *_Nullable value) {
  return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_data_callback(CURL *_Nonnull handle, CURLoption option,
                                               ccurl_data_callback _Nonnull value) {
  return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_debug_callback(CURL *_Nonnull handle,
                                                ccurl_debug_callback _Nonnull value) {
  return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_progress_callback(CURL *_Nonnull handle,
                                                   ccurl_progress_callback _Nonnull value) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_socket_callback(CURL *_Nonnull handle,
                                                 ccurl_socket_callback _Nonnull value) {
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_close_callback(CURL *_Nonnull handle,
                                                ccurl_close_callback _Nonnull value) {
  return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}

/// curl_easy_setopt is variadic.
static inline CURLcode ccurl_set_open_callback(CURL *_Nonnull handle,
                                               ccurl_open_callback _Nonnull value) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

/// curl_easy_getinfo is variadic.
static inline CURLcode ccurl_get_offset(CURL *_Nonnull handle, CURLINFO info,
                                        curl_off_t *_Nonnull value) {
  return curl_easy_getinfo(handle, info, value);
}

/// curl_easy_getinfo is variadic. The string belongs to the handle.
static inline CURLcode ccurl_get_string(CURL *_Nonnull handle, CURLINFO info,
                                        char *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(handle, info, value);
}

/// curl_multi_setopt is variadic.
static inline CURLMcode ccurl_set_multi_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// The result of a message, which is a member of a union.
static inline CURLcode ccurl_result(const CURLMsg *_Nonnull message) { return message->data.result; }

/// curl_easy_getinfo is variadic.
static inline CURLcode ccurl_get_long(CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value) {
  return curl_easy_getinfo(handle, info, value);
}

#endif
